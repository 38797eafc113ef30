import { prisma } from '../../base/db';
import { settings } from '../../base/env';
import { OUTSIDE_ANY_APP } from '../../ledger';

/** The names of the apps that the rows belong to, or the service's own name for rows outside any app. */
export async function partnerNames(rows: { partnerId: string }[]): Promise<Map<string, string>> {
  const partners = await prisma().partner.findMany({
    where: { id: { in: [...new Set(rows.map(({ partnerId }) => partnerId))] } },
    select: { id: true, name: true },
  });
  return new Map([
    [OUTSIDE_ANY_APP, settings().BRAND_NAME],
    ...partners.map(({ id, name }): [string, string] => [id, name]),
  ]);
}
