import { DAY_MS } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { createPartner } from '@/server/partners/partner';

/** Rows of payouts as the ledger writes them, for readings that need many of them or special ones. */

const CENT = 1_000_000n;

export async function newTeam(...names: string[]): Promise<{ teamId: string; apps: string[] }> {
  const teamId = newId('tm');
  await prisma().team.create({ data: { id: teamId, name: `Team of ${names[0]}` } });
  const apps: string[] = [];
  for (const name of names) {
    const { id } = await createPartner({ name: 'Harbour', rateBp: 2500, origins: [] });
    // Older names may have characters that new ones cannot have.
    await prisma().partner.update({ where: { id }, data: { teamId, name } });
    apps.push(id);
  }
  return { teamId, apps };
}

type Item = {
  partnerId: string;
  day: string;
  model: string;
  kind?: 'earned' | 'reversed';
  requests?: number;
  amount: bigint;
};
type Given = {
  teamId: string;
  /** `2026-10` */
  period: string;
  items: Item[];
  carriedBefore?: Record<string, bigint>;
  row?: object;
};

/** Whole cents of what the items and the carried amounts add up to; the first app carries the rest forward. */
export async function writePayout({
  teamId,
  period,
  items,
  carriedBefore = {},
  row,
}: Given): Promise<string> {
  const id = newId('po');
  const sums = new Map(Object.entries(carriedBefore));
  for (const { partnerId, amount } of items) sums.set(partnerId, (sums.get(partnerId) ?? 0n) + amount);
  const payable = [...sums.values()].reduce((all, sum) => all + sum, 0n);
  const [first] = sums.keys();
  const createdAt = new Date(`${period}-01T00:05:00Z`);
  const amount = payable - (payable % CENT);
  await prisma().payout.create({
    data: {
      id,
      teamId,
      period: new Date(`${period}-01`),
      amount,
      method: 'manual',
      state: 'planned',
      postedUntil: createdAt,
      createdAt,
      ...row,
    },
  });
  await prisma().payoutLine.createMany({
    data: [...sums].map(([partnerId, sum]) => {
      const carriedAfter = partnerId === first ? payable % CENT : 0n;
      const maturedUntil = new Date(createdAt.getTime() - 14 * DAY_MS);
      const carried = { carriedBefore: carriedBefore[partnerId] ?? 0n, carriedAfter };
      return { payoutId: id, partnerId, amount: sum - carriedAfter, ...carried, maturedUntil };
    }),
  });
  await prisma().payoutItem.createMany({
    data: items.map(({ day, kind = 'earned', requests = 1, ...item }) => ({
      payoutId: id,
      day: new Date(day),
      kind,
      requests: BigInt(requests),
      ...item,
    })),
  });
  return id;
}
