import Stripe from 'stripe';
import { now, SECOND_MS } from '../../../../base/clock';
import { stripe } from '../client';
import { STATEMENT_SUFFIX } from '../payment-data';
import {
  couldNotRead,
  describeStripeError,
  isForbidden,
  ok,
  type SetupCheck,
  warning,
  wrong,
} from './setup-check';

/** Beyond this, Stripe's SDK refuses every event. */
const MAX_DIFFERENCE_SECONDS = 300;
const NOTED_DIFFERENCE_SECONDS = 30;
/** Of a card statement, with the suffix and "* " before it. */
const MAX_DESCRIPTOR = 22;

/** `isReachable` is false if no other call can succeed. */
export async function checkAccount(): Promise<{ checks: SetupCheck[]; isReachable: boolean }> {
  try {
    const account = await stripe().accounts.retrieveCurrent();
    const { headers } = account.lastResponse;
    return {
      isReachable: true,
      checks: [checkState(account), checkStatement(account), ...checkClock(headers.date)],
    };
  } catch (error) {
    if (isForbidden(error)) return { isReachable: true, checks: [couldNotRead('Account', error, 'Account')] };
    return { isReachable: false, checks: [describeUnreachable(error)] };
  }
}

function describeUnreachable(error: unknown): SetupCheck {
  if (error instanceof Stripe.errors.StripeAuthenticationError)
    return wrong(
      'Account',
      'Stripe does not know the secret key.',
      'Set STRIPE_SECRET_KEY to a key of your account (Stripe dashboard: Developers → API keys).',
    );
  return wrong(
    'Account',
    `Stripe could not be reached: ${describeStripeError(error)}`,
    'Let this machine connect to api.stripe.com on port 443.',
  );
}

function checkState({ charges_enabled, payouts_enabled, requirements, id }: Stripe.Account): SetupCheck {
  const fix = 'Complete it: Stripe dashboard → Settings → Business → Account status.';
  const due = requirements?.currently_due ?? [];
  const missing = due.length > 0 ? ` Missing: ${due.join(', ')}.` : '';
  if (!charges_enabled) {
    const reason = requirements?.disabled_reason;
    return wrong('Account', `${id} cannot take payments${reason ? ` (${reason})` : ''}.${missing}`, fix);
  }
  if (!payouts_enabled)
    return warning('Account', `${id} takes payments, but Stripe pays nothing out.${missing}`, fix);
  return due.length > 0
    ? warning('Account', `${id} takes payments, but Stripe asks for more.${missing}`, fix)
    : ok('Account', `${id} takes payments.`);
}

/** What buyers read on their card statement. Without it they dispute what they do not recognise. */
function checkStatement({ settings }: Stripe.Account): SetupCheck {
  const name = 'Card statement';
  const fix = 'Set it: Stripe dashboard → Settings → Business → Public details → Statement descriptor.';
  const prefix =
    settings?.card_payments?.statement_descriptor_prefix ?? settings?.payments.statement_descriptor;
  if (!prefix) return warning(name, 'The account has no statement descriptor.', fix);
  const descriptor = `${prefix}* ${STATEMENT_SUFFIX}`;
  return descriptor.length > MAX_DESCRIPTOR
    ? warning(
        name,
        `"${descriptor}" is longer than ${MAX_DESCRIPTOR} characters and is cut off.`,
        'Set a shortened descriptor: Stripe dashboard → Settings → Business → Public details.',
      )
    : ok(name, `Buyers read "${descriptor}".`);
}

function checkClock(date: string | undefined): SetupCheck[] {
  const seconds = Math.round((now() - Date.parse(date ?? '')) / SECOND_MS);
  if (Number.isNaN(seconds)) return [];
  const difference = `This machine's clock is ${Math.abs(seconds)} seconds ${seconds > 0 ? 'ahead of' : 'behind'} Stripe's`;
  const fix = 'Synchronise it with a time server (NTP).';
  if (Math.abs(seconds) > MAX_DIFFERENCE_SECONDS)
    return [wrong('Clock', `${difference}: every event of Stripe's is refused.`, fix)];
  return Math.abs(seconds) > NOTED_DIFFERENCE_SECONDS
    ? [warning('Clock', `${difference}. From ${MAX_DIFFERENCE_SECONDS} on, every event is refused.`, fix)]
    : [ok('Clock', 'It agrees with Stripe’s.')];
}
