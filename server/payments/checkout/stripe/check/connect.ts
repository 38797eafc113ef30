import { settings } from '../../../../base/env';
import { CONNECT_EVENTS } from '../../../payouts/stripe/events';
import { stripe } from '../client';
import {
  couldNotRead,
  describeStripeError,
  isForbidden,
  ok,
  type SetupCheck,
  warning,
  wrong,
} from './setup-check';
import { describeEndpoint, isSameAddress, WHERE } from './webhook';

const NAME = 'Payouts by Connect';
const ENDPOINT = 'Webhook endpoint for payouts';
const NO_COUNTRY = 'ZZ';

/** What payouts to partners need at Stripe. Nothing without PAYOUTS=stripe. */
export async function checkConnect(): Promise<SetupCheck[]> {
  if (settings().PAYOUTS !== 'stripe') return [];
  return [await checkPlatform(), await checkBalance(), await checkConnectEndpoint()];
}

/** Asks for an account in a country that does not exist: Stripe refuses that, unless it refuses accounts at all. */
async function checkPlatform(): Promise<SetupCheck> {
  try {
    await stripe().accounts.create({
      controller: {
        fees: { payer: 'application' },
        losses: { payments: 'application' },
        requirement_collection: 'stripe',
        stripe_dashboard: { type: 'express' },
      },
      capabilities: { transfers: { requested: true } },
      country: NO_COUNTRY,
    });
  } catch (error) {
    if (isForbidden(error))
      return wrong(
        NAME,
        'The key may not create accounts.',
        'Give it the right "Connect: Accounts: Write" (Stripe dashboard: Developers → API keys).',
      );
    const said = describeStripeError(error);
    if (/signed up for connect|responsibilities|platform profile/i.test(said))
      return wrong(NAME, said, 'Complete the platform’s profile: Stripe dashboard → Connect.');
  }
  return ok(NAME, 'Accounts of partners can be created.');
}

/** Partners earn USD, and a transfer is made from the balance in its currency. */
async function checkBalance(): Promise<SetupCheck> {
  const name = 'Balance for payouts';
  try {
    const { available } = await stripe().balance.retrieve();
    return available.some(({ currency }) => currency === 'usd')
      ? ok(name, 'The account holds USD.')
      : warning(
          name,
          'The account has no balance in USD, the currency of payouts.',
          'Add a bank account in USD, or top up in USD: Stripe dashboard → Settings → Business → Bank accounts and currencies.',
        );
  } catch (error) {
    return couldNotRead(name, error, 'Balance');
  }
}

/** Without these events, changes of an account are learned hours later. */
async function checkConnectEndpoint(): Promise<SetupCheck> {
  const { BASE_URL, STRIPE_CONNECT_WEBHOOK_SECRET } = settings();
  const address = `${BASE_URL}/api/stripe`;
  const create = `Create an endpoint with this URL for events of connected accounts, with ${CONNECT_EVENTS.join(', ')} (${WHERE}), and set STRIPE_CONNECT_WEBHOOK_SECRET.`;
  try {
    const { data } = await stripe().webhookEndpoints.list({ limit: 100 });
    const ours = data.filter(({ url, application }) => application !== null && isSameAddress(url, address));
    const endpoint = ours.find(({ status }) => status === 'enabled') ?? ours[0];
    if (endpoint === undefined)
      return warning(ENDPOINT, `Stripe sends no events of connected accounts to ${address}.`, create);
    if (STRIPE_CONNECT_WEBHOOK_SECRET === undefined)
      return wrong(
        ENDPOINT,
        'STRIPE_CONNECT_WEBHOOK_SECRET is unset, so its events are refused.',
        'Set it to the signing secret of this endpoint.',
      );
    const { url, status, enabled_events: events } = endpoint;
    return describeEndpoint(
      { url, isEnabled: status === 'enabled', events, style: 'snapshot' },
      { name: ENDPOINT, needed: CONNECT_EVENTS, count: 1 },
    );
  } catch (error) {
    return couldNotRead(ENDPOINT, error, 'Webhook Endpoints');
  }
}
