import { DAY_MS, nowDate } from '../../base/clock';
import { settings } from '../../base/env';
import { describeError } from '../../base/log';
import { type PaymentDifference, reconcilePayments } from '../../payments/checkout/reconcile';
import { creditPaymentByOperator } from '../handle-payments';
import { COMMAND_LINE, NO_REASON } from '../record';
import { type Command, type CommandInput, CommandRefused, type Outcome } from './command';
import { alignColumns } from './output';

const DEFAULT_PERIOD_MS = 7 * DAY_MS;

export const paymentCommands: Readonly<Record<string, Command>> = {
  'payments reconcile': {
    usage: 'payments reconcile [--from DATE] [--to DATE] [--credit] [--reason R]',
    summary: "compare the processor's paid sessions with the purchases; --credit credits what is missing",
    options: { from: 'text', to: 'text', credit: 'flag', reason: 'text' },
    needs: 'schema',
    run: reconcile,
  },
};

async function reconcile(input: CommandInput): Promise<Outcome> {
  if (settings().STRIPE_SECRET_KEY === undefined)
    throw new CommandRefused('No payment processor is configured: set STRIPE_SECRET_KEY.');
  const to = readDate(input, 'to') ?? nowDate();
  const from = readDate(input, 'from') ?? new Date(to.getTime() - DEFAULT_PERIOD_MS);
  const { compared, foreign, differences } = await reconcilePayments({ from, to });
  const outcomes = input.has('credit') ? await creditAll(differences, input) : new Map<string, string>();
  const left = differences.filter(({ checkoutSessionId }) => outcomes.get(checkoutSessionId) !== CREDITED);
  return {
    json: {
      from: from.toISOString(),
      to: to.toISOString(),
      compared,
      foreign,
      differences: differences.map((difference) => toJson(difference, outcomes)),
    },
    text: [
      `${compared} payments compared, ${foreign} of others ignored, ${differences.length} differences.`,
      alignColumns(differences.map((difference) => Object.values(toJson(difference, outcomes)).map(String))),
    ]
      .join('\n')
      .trim(),
    hasProblem: left.length > 0,
  };
}

const CREDITED = 'credited';

async function creditAll(
  differences: PaymentDifference[],
  input: CommandInput,
): Promise<Map<string, string>> {
  const outcomes = new Map<string, string>();
  for (const { checkoutSessionId, reference, isUncredited } of differences) {
    if (!isUncredited) continue;
    try {
      const reason = input.find('reason') ?? NO_REASON;
      await creditPaymentByOperator({ operator: COMMAND_LINE, reference, reason });
      outcomes.set(checkoutSessionId, CREDITED);
    } catch (error) {
      outcomes.set(checkoutSessionId, describeError(error));
    }
  }
  return outcomes;
}

const toJson = (difference: PaymentDifference, outcomes: ReadonlyMap<string, string>) => ({
  session_id: difference.checkoutSessionId,
  processor_id: difference.reference.processorSessionId ?? difference.reference.processorPaymentId,
  amount: difference.amountMinor === null ? null : difference.amountMinor / 100,
  currency: difference.currency,
  difference: difference.what,
  outcome: outcomes.get(difference.checkoutSessionId) ?? null,
});

function readDate(input: CommandInput, name: string): Date | undefined {
  const text = input.find(name);
  if (text === undefined) return undefined;
  const date = new Date(text);
  if (Number.isNaN(date.getTime()))
    throw new CommandRefused(`Invalid --${name} "${text}": expected a date such as 2026-11-01`);
  return date;
}
