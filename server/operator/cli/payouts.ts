import { DAY_MS, nowDate } from '../../base/clock';
import { countOf } from '../../base/count-of';
import { creditsToJson } from '../../base/credits';
import { settings } from '../../base/env';
import { writeCsvRow } from '../../base/http/csv';
import type { PayoutState } from '../../ledger';
import {
  countPayoutsByState,
  countPayoutsNeedingAttention,
  type ListedPayout,
  searchPayouts,
} from '../../payments/payouts/operator-list';
import { planPayouts } from '../../payments/payouts/plan';
import { reconcilePayouts } from '../../payments/payouts/reconcile';
import { sendPayouts } from '../../payments/payouts/send';
import { readYearlyRows, YEARLY_HEADER } from '../../payments/payouts/yearly-export';
import { type Command, type CommandInput, CommandRefused, type Outcome } from './command';
import { alignColumns } from './output';

export const payoutCommands: Readonly<Record<string, Command>> = {
  'payouts list': {
    usage: 'payouts list [--search TEXT] [--limit N]',
    summary: 'list payouts with what is due, newest first',
    options: { search: 'text', limit: 'text' },
    needs: 'schema',
    run: list,
  },
  'payouts run': {
    usage: 'payouts run',
    summary: 'plan and send now what is due, as the background job does',
    needs: 'schema',
    run,
  },
  'payouts reconcile': {
    usage: 'payouts reconcile [--from DATE] [--to DATE]',
    summary: "compare the payouts with Stripe's transfers, of the last 40 days unless dates are given",
    options: { from: 'text', to: 'text' },
    needs: 'schema',
    run: reconcile,
  },
  'payouts export': {
    usage: 'payouts export --year YYYY',
    summary: 'print the payouts of a year by team as CSV, for 1099 and DAC7',
    options: { year: 'text' },
    needs: 'schema',
    run: exportYear,
  },
};

const DEFAULT_LIMIT = '50';

async function list(input: CommandInput): Promise<Outcome> {
  const limit = input.find('limit') ?? DEFAULT_LIMIT;
  if (!/^[1-9]\d{0,4}$/.test(limit))
    throw new CommandRefused(`Invalid --limit "${limit}": expected a whole number`);
  const text = input.find('search') ?? '';
  const { payouts, total } = await searchPayouts({ text, limit: Number(limit), offset: 0 });
  return {
    json: { payouts: payouts.map(toJson), total },
    text: alignColumns([
      ['payout', 'period', 'team', 'amount', 'method', 'state', 'reference'],
      ...payouts.map((payout) => [
        payout.id,
        payout.period,
        payout.teamName,
        `$${inDollars(payout.amount).toFixed(2)}`,
        payout.method,
        describeState(payout),
        payout.reference ?? '',
      ]),
    ]),
  };
}

const CREDITS_PER_DOLLAR = 100;
const inDollars = (amount: bigint): number => creditsToJson(amount) / CREDITS_PER_DOLLAR;

/** What is due, or else the state. */
const describeState = ({ state, attention }: ListedPayout): string =>
  (attention ?? state).replaceAll('_', ' ');

const toJson = (payout: ListedPayout) => ({
  payout_id: payout.id,
  team_id: payout.teamId,
  team: payout.teamName,
  period: payout.period,
  amount: inDollars(payout.amount),
  method: payout.method,
  state: payout.state,
  attention: payout.attention,
  detail: payout.detail,
  reference: payout.reference,
  created_at: payout.createdAt.toISOString(),
  sent_at: payout.sentAt?.toISOString() ?? null,
});

async function run(): Promise<Outcome> {
  const before = await countPayoutsByState();
  await planPayouts();
  await sendPayouts();
  const after = await countPayoutsByState();
  const more = (states: readonly PayoutState[]) =>
    states.reduce((sum, state) => sum + (after.get(state) ?? 0) - (before.get(state) ?? 0), 0);
  const attention = await countPayoutsNeedingAttention();
  const json = {
    planned: more([...after.keys()]),
    sent: more(['sent']),
    failed: more(['failed']),
    needing_attention: Object.fromEntries(attention),
  };
  const due = [...attention].map(([what, count]) => `${count} ${what.replaceAll('_', ' ')}`);
  return {
    json,
    text: `${json.planned} planned, ${json.sent} sent, ${json.failed} failed. ${due.length === 0 ? 'Nothing needs attention' : `Needs attention: ${due.join(', ')}`}.`,
    hasProblem: json.failed > 0,
  };
}

const DEFAULT_PERIOD_MS = 40 * DAY_MS;

async function reconcile(input: CommandInput): Promise<Outcome> {
  if (settings().STRIPE_SECRET_KEY === undefined)
    throw new CommandRefused('No payment processor is configured: set STRIPE_SECRET_KEY.');
  const to = readDate(input, 'to') ?? nowDate();
  const from = readDate(input, 'from') ?? new Date(to.getTime() - DEFAULT_PERIOD_MS);
  if (from >= to) throw new CommandRefused('Invalid period: --from has to be before --to');
  const { compared, foreign, differences } = await reconcilePayouts({ from, to });
  const rows = differences.map(({ payoutId, transferId, what }) => ({
    payout_id: payoutId,
    transfer_id: transferId,
    difference: what,
  }));
  return {
    json: { from: from.toISOString(), to: to.toISOString(), compared, foreign, differences: rows },
    text: [
      `${countOf(compared, 'payout')} compared, ${countOf(foreign, 'transfer')} of others ignored, ${countOf(rows.length, 'difference')}.`,
      alignColumns(rows.map((row) => Object.values(row).map((value) => value ?? 'no transfer'))),
    ]
      .join('\n')
      .trim(),
    hasProblem: rows.length > 0,
  };
}

function readDate(input: CommandInput, name: string): Date | undefined {
  const text = input.find(name);
  if (text === undefined) return undefined;
  const date = new Date(text);
  // JavaScript reads almost any text as a date, and turns 31 February into March.
  if (Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== text)
    throw new CommandRefused(`Invalid --${name} "${text}": expected a date such as 2026-11-01`);
  return date;
}

async function exportYear(input: CommandInput): Promise<Outcome> {
  const year = input.require('year');
  if (!/^20\d\d$/.test(year))
    throw new CommandRefused(`Invalid --year "${year}": expected a year such as 2026`);
  const rows = await readYearlyRows(Number(year));
  return {
    json: rows.map((row) => Object.fromEntries(YEARLY_HEADER.map((name, index) => [name, row[index]]))),
    text: [YEARLY_HEADER, ...rows].map(writeCsvRow).join('').trimEnd(),
  };
}
