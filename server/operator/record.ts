import type { OperatorAction, Prisma } from '../../prisma/client/client';
import { nowDate } from '../base/clock';
import { prisma, type Tx } from '../base/db';
import { ApiError } from '../base/errors';

/**
 * The audit log: every operator action, written in the transaction that performs it and never changed. Users
 * are recorded by user id, so that no e-mail address of a deleted account remains.
 */

/** The e-mail address of the acting operator, or the command line. */
export type Operator = string;
export const COMMAND_LINE: Operator = 'command line';
/** Recorded for commands that do not require a reason. */
export const NO_REASON = 'none given';

/** Every action an operator can take, in the dashboard or on the command line. */
export const ACTION_NAMES = [
  'app.create',
  'app.approve',
  'app.decline',
  'app.name_approve',
  'app.name_decline',
  'app.disable',
  'app.enable',
  'app.resume',
  'app.rate',
  'app.rate_cap',
  'app.earnings_hold',
  'app.models',
  'app.limit_ceiling',
  'app.limit_default',
  'app.key',
  'app.owner',
  'app.origins',
  'app.redirects',
  'app.webhook',
  'user.resume',
  'user.passkeys',
  'user.block_purchases',
  'user.allow_purchases',
  'credits.give',
  'credits.take',
  'purchase.refund_asked',
  'purchase.refunded',
  'payment.dismiss',
  'payment.credit',
  'promotion.create',
  'promotion.links',
  'promotion.disable',
  'correction.approve',
  'correction.discard',
  'payout.approve',
  'payout.hold',
  'payout.release',
  'payout.send_now',
  'payout.again',
  'payout.sent',
  'payout.returned',
  'payout.failed',
  'payout.reverse_asked',
  'payout.reversed',
  'payout.destination',
  'team.hold',
  'team.release',
  'team.terms',
] as const;
export type ActionName = (typeof ACTION_NAMES)[number];

type Facts = Prisma.InputJsonObject;

export type AuditEntry = {
  operator: Operator;
  what: ActionName;
  subject: string;
  reason: string;
  before?: Facts;
  after?: Facts;
};

const MAX_REASON_CHARACTERS = 500;

export async function recordAction(tx: Tx, { operator, what, subject, reason, before, after }: AuditEntry) {
  await tx.operatorAction.create({
    data: {
      at: nowDate(),
      operator,
      what,
      subject,
      reason: requireReason(reason),
      ...(before && { before }),
      ...(after && { after }),
    },
  });
}

export function requireReason(text: string): string {
  const reason = text.trim();
  if (reason === '' || reason.length > MAX_REASON_CHARACTERS) {
    throw new ApiError('invalid_request', `Enter a reason of 1 to ${MAX_REASON_CHARACTERS} characters`, {
      param: 'reason',
    });
  }
  return reason;
}

export type RecordedAction = OperatorAction & {
  /** The subject's display name; null when it no longer exists. */
  name: string | null;
};

/** Newest first; `before` is the id of the last entry on the previous page. */
export async function listActions({
  subject,
  before,
  limit,
}: {
  subject?: string | undefined;
  before?: number | undefined;
  limit: number;
}): Promise<{ actions: RecordedAction[]; hasMore: boolean }> {
  const rows = await prisma().operatorAction.findMany({
    where: { ...(subject !== undefined && { subject }), ...(before !== undefined && { id: { lt: before } }) },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  const actions = rows.slice(0, limit);
  const names = await nameSubjects(actions.map((action) => action.subject));
  return {
    actions: actions.map((action) => ({ ...action, name: names.get(action.subject) ?? null })),
    hasMore: rows.length > limit,
  };
}

async function nameSubjects(subjects: string[]): Promise<Map<string, string>> {
  const ids = [...new Set(subjects)];
  const [users, partners, promotions, teams] = await Promise.all([
    prisma().user.findMany({ where: { id: { in: ids } }, select: { id: true, email: true } }),
    prisma().partner.findMany({ where: { id: { in: ids } }, select: { id: true, name: true } }),
    prisma().promotion.findMany({ where: { id: { in: ids } }, select: { id: true, code: true } }),
    prisma().team.findMany({ where: { id: { in: ids } }, select: { id: true, name: true } }),
  ]);
  return new Map([
    ...users.map(({ id, email }) => [id, email] as const),
    ...partners.map(({ id, name }) => [id, name] as const),
    ...promotions.map(({ id, code }) => [id, code ?? 'Gift'] as const),
    ...teams.map(({ id, name }) => [id, name] as const),
  ]);
}
