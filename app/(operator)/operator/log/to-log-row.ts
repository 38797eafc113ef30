import type { RecordedAction } from '@/server/operator/record';
import type { LogRow } from './log-table';

/** One line of the log in words; values that changed stand as `before → after`. */
export function toLogRow({
  id,
  at,
  operator,
  what,
  subject,
  name,
  reason,
  before,
  after,
}: RecordedAction): LogRow {
  return {
    id,
    at: at.toISOString(),
    operator,
    what: WORDS[what] ?? what,
    subject: name ?? (subject.startsWith('usr_') ? 'a deleted account' : subject),
    reason,
    change: describeChange(asFacts(before), asFacts(after)),
  };
}

const WORDS: Record<string, string> = {
  'app.approve': 'Approved the app',
  'app.decline': 'Declined the app',
  'app.disable': 'Disabled the app',
  'app.enable': 'Enabled the app',
  'app.rate_cap': 'Changed the rate cap',
  'app.models': 'Changed the models',
  'credits.give': 'Gave credits',
  'credits.take': 'Took credits',
  'purchase.refund_asked': 'Asked for a refund',
  'purchase.refunded': 'Refunded a purchase',
  'payment.put_aside': 'Put an alert aside',
};

type Facts = Record<string, unknown>;

const asFacts = (value: unknown): Facts =>
  value !== null && typeof value === 'object' ? (value as Facts) : {};
const write = (value: unknown): string =>
  Array.isArray(value) ? value.join(', ') : value === null || value === undefined ? 'none' : String(value);

function describeChange(before: Facts, after: Facts): string[] {
  return Object.entries(after)
    .filter(([name, value]) => value !== null && JSON.stringify(before[name]) !== JSON.stringify(value))
    .map(([name, value]) =>
      name in before
        ? `${name.replace('_', ' ')}: ${write(before[name])} → ${write(value)}`
        : `${name.replace('_', ' ')}: ${write(value)}`,
    );
}
