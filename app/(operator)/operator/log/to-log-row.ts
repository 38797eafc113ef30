import type { ActionName, RecordedAction } from '@/server/operator/record';
import type { LogRow } from './log-table';

/** One audit entry in words. Changed values are written as `before → after`. */
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
    what: WORDS[what as ActionName] ?? what,
    subject: name ?? (subject.startsWith('usr_') ? 'a deleted account' : subject),
    reason,
    change: describeChange(asFacts(before), asFacts(after)),
  };
}

const WORDS: Record<ActionName, string> = {
  'app.create': 'Created the app',
  'app.approve': 'Approved the app',
  'app.decline': 'Declined the app',
  'app.name_approve': 'Approved the name',
  'app.name_decline': 'Declined the name',
  'app.disable': 'Disabled the app',
  'app.enable': 'Enabled the app',
  'app.resume': 'Resumed the app',
  'app.rate': 'Changed the rate',
  'app.rate_cap': 'Changed the rate cap',
  'app.earnings_hold': 'Changed the hold period',
  'app.key': 'Rotated the publishable key',
  'app.owner': 'Changed the owner',
  'app.origins': 'Changed the origins',
  'app.redirects': 'Changed the redirect addresses',
  'app.webhook': 'Changed the webhook',
  'app.models': 'Changed the models',
  'user.resume': 'Resumed the user',
  'user.passkeys': 'Removed the passkeys',
  'credits.give': 'Gave credits',
  'credits.take': 'Took credits',
  'purchase.refund_asked': 'Requested a refund',
  'purchase.refunded': 'Refunded a purchase',
  'payment.dismiss': 'Dismissed an alert',
  'payment.credit': 'Credited a payment',
  'promotion.create': 'Created a promotion',
  'promotion.links': 'Created gift links',
  'promotion.disable': 'Disabled a promotion',
};

type Facts = Record<string, unknown>;

const asFacts = (value: unknown): Facts =>
  value !== null && typeof value === 'object' ? (value as Facts) : {};
const write = (value: unknown): string =>
  Array.isArray(value) && value.length > 0
    ? value.join(', ')
    : value === null || value === undefined || Array.isArray(value)
      ? 'none'
      : String(value);

function describeChange(before: Facts, after: Facts): string[] {
  return Object.entries(after)
    .filter(
      ([name, value]) =>
        !(value === null && !(name in before)) && JSON.stringify(before[name]) !== JSON.stringify(value),
    )
    .map(([name, value]) =>
      name in before
        ? `${name.replaceAll('_', ' ')}: ${write(before[name])} → ${write(value)}`
        : `${name.replaceAll('_', ' ')}: ${write(value)}`,
    );
}
