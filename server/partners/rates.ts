import type { PartnerRate } from '../../prisma/client/client';
import { DAY_MS, now, nowDate } from '../base/clock';
import { inTransaction, prisma, type Tx } from '../base/db';
import { ApiError, invariant } from '../base/errors';
import { formatPercent, MAX_RATE_BP, requireRate } from './rate';

/**
 * A partner's commission over time. A change applies to requests that start after it; running
 * requests keep the rate they were admitted with.
 */

export type { PartnerRate };

const MAX_AHEAD_MS = 365 * DAY_MS;

/** Takes effect now. A planned change stays planned. */
export async function setPartnerRate(partnerId: string, rateBp: number, tx?: Tx): Promise<void> {
  if (tx === undefined) return inTransaction((own) => setPartnerRate(partnerId, rateBp, own));
  await requireBelowCap(tx, partnerId, rateBp);
  await applyRate(tx, partnerId, rateBp);
}

/** Takes effect at a future time. Replaces a change planned before. */
export async function planPartnerRate(
  partnerId: string,
  rateBp: number,
  effectiveAt: Date,
  tx?: Tx,
): Promise<void> {
  if (tx === undefined) return inTransaction((own) => planPartnerRate(partnerId, rateBp, effectiveAt, own));
  const aheadMs = effectiveAt.getTime() - now();
  if (!(aheadMs > 0 && aheadMs <= MAX_AHEAD_MS)) {
    throw new ApiError('invalid_request', 'effective_at: must be a time within the next year', {
      param: 'effective_at',
    });
  }
  await requireBelowCap(tx, partnerId, rateBp);
  await tx.partnerRate.deleteMany({ where: { partnerId, appliedAt: null } });
  await tx.partnerRate.create({ data: { partnerId, rateBp, effectiveAt, createdAt: nowDate() } });
}

/** False when nothing was planned. */
export async function cancelPlannedRate(partnerId: string, db: Tx = prisma()): Promise<boolean> {
  const { count } = await db.partnerRate.deleteMany({ where: { partnerId, appliedAt: null } });
  return count > 0;
}

/** Sets the maximum rate. Lowers a current or planned rate above it. */
export async function setRateCap(partnerId: string, rateCapBp: number, tx?: Tx): Promise<void> {
  if (tx === undefined) return inTransaction((own) => setRateCap(partnerId, rateCapBp, own));
  requireRate(rateCapBp);
  const { rateBp } = await lockPartner(tx, partnerId);
  if (rateBp > rateCapBp) await applyRate(tx, partnerId, rateCapBp);
  await tx.partnerRate.updateMany({
    where: { partnerId, appliedAt: null, rateBp: { gt: rateCapBp } },
    data: { rateBp: rateCapBp },
  });
  await tx.partner.update({ where: { id: partnerId }, data: { rateCapBp } });
}

/** Past, current and planned rates, latest first. */
export function listRates(partnerId: string): Promise<PartnerRate[]> {
  return prisma().partnerRate.findMany({
    where: { partnerId },
    orderBy: [{ effectiveAt: 'desc' }, { id: 'desc' }],
  });
}

type Raise = { partnerId: string; fromBp: number; toBp: number; at: Date };

/** For each of the apps, by how much its commission has grown since a time, and by how much it will. */
export async function listRaises(partnerIds: string[], since: Date): Promise<Raise[]> {
  return prisma().$queryRaw<Raise[]>`
    SELECT "partnerId", "fromBp", "toBp", at FROM (
      SELECT DISTINCT ON (r.partner_id, is_planned)
        r.partner_id AS "partnerId", b.rate_bp AS "fromBp", r.rate_bp AS "toBp", r.effective_at AS at
      FROM (SELECT ${nowDate()}::timestamptz AS now_at, ${since}::timestamptz AS since_at) t
      JOIN partner_rate r ON r.partner_id = ANY (${partnerIds}) AND r.effective_at >= t.since_at
      CROSS JOIN LATERAL (SELECT r.effective_at > t.now_at AS is_planned) p
      CROSS JOIN LATERAL (
        SELECT b.rate_bp FROM partner_rate b
        WHERE b.partner_id = r.partner_id AND b.effective_at < CASE WHEN is_planned THEN t.now_at ELSE t.since_at END
        ORDER BY b.effective_at DESC, b.id DESC LIMIT 1) b
      ORDER BY r.partner_id, is_planned, r.effective_at DESC, r.id DESC) latest
    WHERE "toBp" > "fromBp" ORDER BY at`;
}

/** How much more the same request costs, in percent. */
export const dearerBy = ({ fromBp, toBp }: Pick<Raise, 'fromBp' | 'toBp'>): number =>
  ((toBp - fromBp) / (MAX_RATE_BP + fromBp)) * 100;

/** Applies planned changes that are due. Every instance runs this periodically. */
export async function applyDueRates(): Promise<void> {
  const due = await prisma().partnerRate.findMany({
    where: { appliedAt: null, effectiveAt: { lte: nowDate() } },
    select: { id: true, partnerId: true },
  });
  for (const { id, partnerId } of due) await inTransaction((tx) => applyPlanned(tx, id, partnerId));
}

async function applyPlanned(tx: Tx, id: number, partnerId: string): Promise<void> {
  await lockPartner(tx, partnerId);
  // Another instance may have applied it in the meantime, or it was cancelled.
  const planned = await tx.partnerRate.findFirst({ where: { id, appliedAt: null } });
  if (planned === null) return;
  await tx.partnerRate.update({ where: { id }, data: { appliedAt: nowDate() } });
  await tx.partner.update({ where: { id: partnerId }, data: { rateBp: planned.rateBp } });
}

async function applyRate(tx: Tx, partnerId: string, rateBp: number): Promise<void> {
  const at = nowDate();
  await tx.partner.update({ where: { id: partnerId }, data: { rateBp } });
  await tx.partnerRate.create({
    data: { partnerId, rateBp, effectiveAt: at, createdAt: at, appliedAt: at },
  });
}

async function requireBelowCap(tx: Tx, partnerId: string, rateBp: number): Promise<void> {
  requireRate(rateBp);
  const { rateCapBp } = await lockPartner(tx, partnerId);
  if (rateBp > rateCapBp) {
    throw new ApiError(
      'invalid_request',
      `rate: must be at most ${formatPercent(rateCapBp)} % for this app`,
      {
        param: 'rate',
      },
    );
  }
}

/** Serialises changes to a partner's rate. */
async function lockPartner(tx: Tx, partnerId: string): Promise<{ rateBp: number; rateCapBp: number }> {
  const [partner] = await tx.$queryRaw<{ rateBp: number; rateCapBp: number }[]>`
    SELECT rate_bp AS "rateBp", rate_cap_bp AS "rateCapBp" FROM partner WHERE id = ${partnerId}
    FOR NO KEY UPDATE`;
  invariant(partner, 'rates change only for existing partners');
  return partner;
}
