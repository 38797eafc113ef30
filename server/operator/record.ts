import type { AuditEntry, Prisma } from '../../prisma/client/client';
import { prisma, type Tx } from '../base/db';
import { ApiError } from '../base/errors';
import { type LogPage, listEntries, type OPERATOR_ACTIONS, recordEntry } from '../partners/audit-log';

/**
 * The audit log: every operator action, written in the transaction that performs it and never changed. Users
 * are recorded by user id, so that no e-mail address of a deleted account remains.
 */

/** The e-mail address of the acting operator, or the command line. */
export type Operator = string;
export const COMMAND_LINE: Operator = 'command line';
/** Recorded for commands that do not require a reason. */
export const NO_REASON = 'none given';

export type ActionName = keyof typeof OPERATOR_ACTIONS;

type Facts = Prisma.InputJsonObject;

type OperatorEntry = {
  operator: Operator;
  what: ActionName;
  subject: string;
  reason: string;
  before?: Facts;
  after?: Facts;
};

const MAX_REASON_CHARACTERS = 500;

export async function recordAction(tx: Tx, { operator, reason, ...entry }: OperatorEntry): Promise<void> {
  await recordEntry(tx, { actor: operator, reason: requireReason(reason), ...entry });
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

export type RecordedAction = AuditEntry & {
  /** The subject's display name; null when it no longer exists. */
  name: string | null;
};

/** Newest first, of one subject or all. */
export async function listActions({
  subject,
  ...page
}: LogPage & { subject?: string }): Promise<{ actions: RecordedAction[]; hasMore: boolean }> {
  const where = { teamId: null, ...(subject !== undefined && { subject }) };
  const { entries, hasMore } = await listEntries(where, page);
  const names = await nameSubjects(entries.flatMap((entry) => entry.subject ?? []));
  const actions = entries.map((entry) => ({ ...entry, name: names.get(entry.subject ?? '') ?? null }));
  return { actions, hasMore };
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
