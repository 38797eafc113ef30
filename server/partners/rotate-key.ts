import { DAY_MS, now, nowDate } from '../base/clock';
import { inTransaction, prisma, type Tx } from '../base/db';
import { newPublishableKey } from '../base/tokens';
import type { Actor } from './audit-log';

/** Time to deploy the new key to every page. */
const RETIRED_KEY_WORKS_MS = DAY_MS;

/** Creates a new publishable key for the app. The old one works for another day. */
export async function rotatePublishableKey(
  partnerId: string,
  keyBy: Actor | null = null,
  tx?: Tx,
): Promise<{ publishableKey: string }> {
  if (tx === undefined) return inTransaction((own) => rotatePublishableKey(partnerId, keyBy, own));
  const publishableKey = newPublishableKey();
  const [old] = await tx.$queryRaw<{ key: string }[]>`
    SELECT publishable_key AS key FROM partner WHERE id = ${partnerId} FOR UPDATE`;
  if (old) {
    const worksUntil = new Date(now() + RETIRED_KEY_WORKS_MS);
    await tx.retiredPublishableKey.create({ data: { publishableKey: old.key, partnerId, worksUntil } });
  }
  await tx.partner.update({ where: { id: partnerId }, data: { publishableKey, keyBy } });
  return { publishableKey };
}

export type RetiredKey = { publishableKey: string; worksUntil: Date };

/** Old keys that still work. */
export function listRetiredKeys(partnerId: string): Promise<RetiredKey[]> {
  return prisma().retiredPublishableKey.findMany({
    where: { partnerId, worksUntil: { gt: nowDate() } },
    select: { publishableKey: true, worksUntil: true },
    orderBy: { worksUntil: 'desc' },
  });
}
