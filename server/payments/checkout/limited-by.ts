import { type LimitScope, type ReachedSpendingLimit, readReachedLimit, type Spendable } from '../../ledger';

/** What refuses every request of an app, however many credits the user buys, and where the user can lift it. */
export type LimitedBy = {
  kind: Exclude<ReachedSpendingLimit['kind'], 'model' | 'request'> | 'review';
  /** Null for a review by the service. */
  scope: LimitScope | null;
  resetsAt: Date | null;
  /** In the account. Null if the user cannot lift it. */
  path: string | null;
};

type OfApp = { userId: string; partnerId: string };

export async function findLimitedBy(
  { userId, partnerId }: OfApp,
  { status, limitedBy: isLimited }: Pick<Spendable, 'status' | 'limitedBy'>,
): Promise<LimitedBy | null> {
  if (status === 'paused_for_review') return { kind: 'review', scope: null, resetsAt: null, path: null };
  const reached = isLimited === null ? null : await readReachedLimit(userId, partnerId);
  // Only a request has a model and a price.
  if (reached === null || reached.kind === 'model' || reached.kind === 'request') return null;
  const { kind, scope, resetsAt } = reached;
  return { kind, scope, resetsAt, path: pathOf(scope, partnerId) };
}

function pathOf(scope: LimitScope, partnerId: string): string | null {
  if (scope === 'partner') return null;
  return scope === 'app' ? `/account/apps/${partnerId}` : '/account/limits';
}

/** In wire format. */
export const writeLimitedBy = (limit: LimitedBy | null) =>
  limit && {
    kind: limit.kind,
    scope: limit.scope,
    resets_at: limit.resetsAt?.toISOString() ?? null,
    path: limit.path,
  };
