import { readLate } from '../base/replica';
import { OUTSIDE_ANY_APP } from '../ledger';
import { userRef } from './find-user';

/** All payments, for operators: one row for each checkout session, newest first. */

export const PAYMENT_STATES = ['paid', 'reversed', 'open', 'failed', 'expired'] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

export type PaymentFilter = {
  state?: PaymentState | undefined;
  userId?: string | undefined;
  /** `OUTSIDE_ANY_APP` for payments in the account. */
  partnerId?: string | undefined;
  /** Days in UTC; the last one is included. */
  from?: string | undefined;
  to?: string | undefined;
};

export type ListedPayment = {
  checkoutSessionId: string;
  /** The purchase; null while nothing is paid. */
  purchaseId: string | null;
  userRef: string;
  /** Null once the account is deleted. */
  email: string | null;
  /** Null outside any app. */
  appName: string | null;
  at: Date;
  method: 'form' | 'saved_card' | 'auto_top_up';
  state: Exclude<PaymentState, 'reversed'> | 'partly_refunded' | 'refunded' | 'disputed';
  currency: string;
  amountMinor: number;
  reversedMinor: number;
};

const STATE_OF = `CASE
  WHEN s.status <> 'completed' THEN CASE s.status WHEN 'processing' THEN 'open' ELSE s.status END
  WHEN p.disputed_minor > 0 THEN 'disputed'
  WHEN p.refunded_minor = 0 THEN 'paid'
  WHEN p.refunded_minor < p.amount_minor THEN 'partly_refunded' ELSE 'refunded' END`;

const CONDITIONS: Record<PaymentState, string> = {
  paid: "s.status = 'completed'",
  reversed: '(p.refunded_minor > 0 OR p.disputed_minor > 0)',
  open: "s.status IN ('open', 'processing')",
  failed: "s.status = 'failed'",
  expired: "s.status = 'expired'",
};

/** Joins what is asked for, so that each filter has an index. */
function conditionsOf({ state, userId, partnerId, from, to }: PaymentFilter) {
  const values: unknown[] = [];
  const parts: string[] = state === undefined ? [] : [CONDITIONS[state]];
  const add = (value: unknown, part: (place: string) => string) => {
    if (value !== undefined) parts.push(part(`$${values.push(value)}`));
  };
  add(userId, (place) => `s.user_id = ${place}`);
  add(partnerId, (place) => `s.partner_id = ${place}`);
  add(from, (place) => `s.created_at >= ${place}::date::timestamp AT TIME ZONE 'UTC'`);
  add(to, (place) => `s.created_at < (${place}::date + 1)::timestamp AT TIME ZONE 'UTC'`);
  return { values, where: parts.length === 0 ? '' : `WHERE ${parts.join(' AND ')}` };
}

/** `hasMore`: whether a next page exists. */
export async function listPayments(
  filter: PaymentFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ payments: ListedPayment[]; hasMore: boolean }> {
  const { values, where } = conditionsOf(filter);
  const { rows } = await readLate<Omit<ListedPayment, 'userRef'> & { userId: string }>(
    `SELECT s.id AS "checkoutSessionId", p.id AS "purchaseId", s.user_id AS "userId",
            CASE WHEN u.deleted_at IS NULL THEN u.email END AS email,
            CASE WHEN s.partner_id <> '${OUTSIDE_ANY_APP}' THEN coalesce(a.name, s.partner_id) END AS "appName",
            s.created_at AS at, s.method, ${STATE_OF} AS state, s.currency, s.amount_minor AS "amountMinor",
            coalesce(p.refunded_minor + p.disputed_minor, 0) AS "reversedMinor"
     FROM checkout_session s
     ${filter.state === 'reversed' ? '' : 'LEFT '}JOIN purchase p ON p.session_id = s.id
     LEFT JOIN "user" u ON u.id = s.user_id
     LEFT JOIN partner a ON a.id = s.partner_id
     ${where} ORDER BY s.created_at DESC, s.id DESC LIMIT $${values.length + 1} OFFSET $${values.length + 2}`,
    [...values, limit + 1, offset],
  );
  const payments = rows.slice(0, limit).map(({ userId, ...row }) => ({ ...row, userRef: userRef(userId) }));
  return { payments, hasMore: rows.length > limit };
}
