import { prisma } from '../base/db';
import { isKnownZone } from '../ledger';

/** In which the user's pages show times; null for that of the browser. False for an unknown time zone. */
export async function saveTimeZone(userId: string, zone: string | null): Promise<boolean> {
  if (zone !== null && !(await isKnownZone(zone))) return false;
  await prisma().user.updateMany({ where: { id: userId, deletedAt: null }, data: { timeZone: zone } });
  return true;
}
