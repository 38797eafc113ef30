import { expect, test } from 'vitest';
import { prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { claimDue } from '@/server/partners/webhooks/claim';
import { newDatabase } from '../../harness';
import { allowLoopback, endLeases, newListeningPartner, PLENTY, recordTest } from './hook-world';

await newDatabase();
allowLoopback();

const URL = 'http://127.0.0.1:9/';

/** Apps of one team, each with as many events. */
async function newTeam(apps: number, events: number): Promise<string> {
  const { id } = await prisma().team.create({ data: { id: newId('tm'), name: 'Team' } });
  for (let n = 0; n < apps; n++) {
    const partner = await newListeningPartner(URL);
    await prisma().partner.update({ where: { id: partner.id }, data: { teamId: id } });
    for (let event = 0; event < events; event++) await recordTest(partner.id);
  }
  return id;
}

const countOf = (claims: { team: string }[], team: string) =>
  claims.filter((claim) => claim.team === team).length;

test('all apps of a team together take no more deliveries than the team has slots', async () => {
  const team = await newTeam(3, 4);
  const other = await newListeningPartner(URL);
  await recordTest(other.id);

  const first = await claimDue({ ...PLENTY, perTeam: 5 });
  expect([countOf(first, team), countOf(first, other.id)]).toEqual([5, 1]);
  expect(new Set(first.map(({ partnerId }) => partnerId)).size).toBe(4);

  const second = await claimDue({ ...PLENTY, perTeam: 5, teams: new Map([[team, 2]]) });
  expect(countOf(second, team)).toBe(2);
  expect(await claimDue({ ...PLENTY, perTeam: 5, teams: new Map([[team, 0]]) })).toEqual([]);
  await endLeases();
});
