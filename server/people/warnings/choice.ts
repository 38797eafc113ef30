import { nowDate } from '../../base/clock';
import { inTransaction, prisma } from '../../base/db';
import { lockAccount } from '../../base/lock-account';
import type { WarningKind } from '../../base/unsubscribe-link';
import { isKnownZone } from '../../ledger';

/** Which warnings about their spending a user asked for. All are off until then. */

export type WarningChoices = Record<WarningKind, boolean>;

export async function readWarningChoices(userId: string): Promise<WarningChoices> {
  const row = await prisma().warningChoice.findUnique({ where: { userId } });
  return { limits: row?.limits ?? false, unusual: row?.unusual ?? false, weekly: row?.weekly ?? false };
}

/** `zone` is where the user's weeks begin, unless their limits have a time zone. */
export async function saveWarningChoice(
  userId: string,
  { kind, isOn, zone }: { kind: WarningKind; isOn: boolean; zone: string },
): Promise<void> {
  const known = (await isKnownZone(zone)) ? zone : 'UTC';
  await inTransaction(async (tx) => {
    await lockAccount(tx, userId);
    await tx.warningChoice.upsert({
      where: { userId },
      create: { userId, zone: known, [kind]: isOn },
      update: { zone: known, [kind]: isOn },
    });
    if (kind !== 'weekly') return;
    // On Monday at eight in the morning.
    await tx.$executeRaw`
      UPDATE warning_choice c SET weekly_at = CASE WHEN c.weekly THEN ledger_instant(z.zone,
        date_trunc('week', timezone(z.zone, ${nowDate()}::timestamptz)) + interval '1 week 8 hours') END
      FROM (SELECT coalesce((SELECT limits_zone FROM wallet WHERE user_id = ${userId}), ${known}) AS zone) z
      WHERE c.user_id = ${userId}`;
  });
}

/** Turns a kind off. False if it was off. */
export async function endWarnings(userId: string, kind: WarningKind): Promise<boolean> {
  const { count } = await prisma().warningChoice.updateMany({
    where: { userId, [kind]: true },
    data: { [kind]: false, ...(kind === 'weekly' && { weeklyAt: null }) },
  });
  return count > 0;
}
