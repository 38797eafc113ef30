import { expect, test } from 'vitest';
import { prisma } from '@/server/base/db';
import { changePayout } from '@/server/operator/change-payouts';
import { findPayoutFacts } from '@/server/payments/payouts/operator-list';
import {
  type GivenPayee,
  readPayeeDetails,
  revealDestination,
  savePayeeDetails,
  toPayoutPayee,
} from '@/server/payments/payouts/payee-details';
import { newDatabase } from '../../harness';
import { newTeam, writePayout } from './payout-rows';

/** Who is paid and where, as the team enters it. */

await newDatabase();
Object.assign(process.env, {
  SELLER_NAME: 'Example Software GmbH',
  SELLER_ADDRESS: 'Mariahilfer Straße 1, 1060 Wien',
});

const IBAN = 'AT61 1904 3002 3457 3201';
const GIVEN: GivenPayee = {
  name: 'Łukasz Müller & Σία',
  address: 'Unter den Linden 1\n\n 10117  Berlin ',
  country: 'DE',
  taxId: 'de 136 695 976',
  destination: IBAN,
};

const records: unknown[] = [];
const save = (teamId: string, change: Partial<GivenPayee> = {}) =>
  savePayeeDetails(teamId, { ...GIVEN, ...change }, async (_, { before, after }) => {
    records.push([before?.destinationEnding ?? null, after.destinationEnding]);
  });

test('payee details are saved tidied, with the destination encrypted and shown only as its last characters @attack', async () => {
  const { teamId } = await newTeam('Harbour');
  expect(await save(teamId)).toMatchObject({ ok: true, before: null });
  const details = await readPayeeDetails(teamId);
  expect(details).toEqual({
    name: 'Łukasz Müller & Σία',
    address: ['Unter den Linden 1', '10117 Berlin'],
    country: 'DE',
    taxId: 'DE136695976',
    destinationEnding: '3201',
  });
  expect(await revealDestination(teamId)).toBe(IBAN);
  const row = await prisma().payeeDetails.findUniqueOrThrow({ where: { teamId } });
  expect(Buffer.from(row.destination ?? []).toString('latin1')).not.toContain('1904');
  expect(JSON.stringify(toPayoutPayee(row))).not.toContain('1904');
});

test('a destination copied to another team’s row cannot be read there @attack', async () => {
  const [one, other] = [await newTeam('One'), await newTeam('Other')];
  await save(one.teamId);
  await save(other.teamId, { destination: 'DE89 3704 0044 0532 0130 00' });
  const { destination } = await prisma().payeeDetails.findUniqueOrThrow({ where: { teamId: one.teamId } });
  await prisma().payeeDetails.update({ where: { teamId: other.teamId }, data: { destination } });
  await expect(revealDestination(other.teamId)).rejects.toThrow();
});

test('an empty destination keeps the saved one, and saving the same changes and records nothing', async () => {
  const { teamId } = await newTeam('Keeper');
  await save(teamId);
  const { updatedAt } = await prisma().payeeDetails.findUniqueOrThrow({ where: { teamId } });
  records.length = 0;
  expect(await save(teamId, { destination: '' })).toMatchObject({ ok: true });
  expect(await save(teamId, { destination: IBAN })).toMatchObject({ ok: true });
  expect(records).toEqual([]);
  expect(await prisma().payeeDetails.findUniqueOrThrow({ where: { teamId } })).toMatchObject({ updatedAt });
  expect(await save(teamId, { name: 'Renamed Ltd', destination: '' })).toMatchObject({ ok: true });
  expect(
    await save(teamId, { name: 'Renamed Ltd', destination: 'Account 12345678, routing 021000021' }),
  ).toMatchObject({
    ok: true,
  });
  expect(records).toEqual([
    ['3201', '3201'],
    ['3201', '0021'],
  ]);
  expect(await revealDestination(teamId)).toBe('Account 12345678, routing 021000021');
});

test.each<[keyof GivenPayee, string, RegExp]>([
  ['name', ' ', /Enter a name of at most 100/],
  ['address', '', /Enter one to 6 lines/],
  ['country', 'XX', /Choose a country/],
  ['taxId', 'DE136695977', /valid tax ID of Germany, or none/],
  ['destination', 'AT61 1904 3002 3457 3202', /check digits do not match/],
  ['destination', '1234567', /8 to 200 characters/],
  ['destination', '口座番号 1234567', /cannot show “口”/],
])('a wrong %s (%j) is refused with what is expected', async (field, value, message) => {
  const { teamId } = await newTeam(`Wrong ${field} ${value}`.slice(0, 40));
  expect(await save(teamId, { [field]: value })).toEqual({
    ok: false,
    field,
    message: expect.stringMatching(message),
  });
  expect(await readPayeeDetails(teamId)).toBeNull();
});

test('new details reach a planned payout, which needs an approval again; sent ones keep theirs @attack', async () => {
  const { teamId, apps } = await newTeam('Planner');
  const [partnerId = ''] = apps;
  await save(teamId);
  const payee = toPayoutPayee(await prisma().payeeDetails.findUniqueOrThrow({ where: { teamId } }));
  const items = [{ partnerId, day: '2026-09-01', model: 'sandbox/echo', amount: 5_000_000n }];
  const sent = await writePayout({
    teamId,
    period: '2026-09',
    items,
    row: { payee, state: 'sent', approvedBy: 'op' },
  });
  const planned = await writePayout({
    teamId,
    period: '2026-10',
    items,
    row: { payee, approvedBy: 'service' },
  });
  await save(teamId, { destination: 'DE89 3704 0044 0532 0130 00' });
  const read = (id: string) => prisma().payout.findUniqueOrThrow({ where: { id } });
  expect(await read(sent)).toMatchObject({ approvedBy: 'op', payee: { destinationEnding: '3201' } });
  expect(await read(planned)).toMatchObject({
    approvedBy: null,
    payee: { destinationEnding: '3000', payer: { name: 'Example Software GmbH' } },
  });
});

test('an operator approves the payee details that they saw: after a change, the page has to be read again @attack', async () => {
  const { teamId, apps } = await newTeam('Switcher');
  await save(teamId);
  const row = await prisma().payeeDetails.findUniqueOrThrow({ where: { teamId } });
  const items = [{ partnerId: apps[0] ?? '', day: '2026-09-01', model: 'sandbox/echo', amount: 5_000_000n }];
  const id = await writePayout({ teamId, period: '2026-10', items, row: { payee: toPayoutPayee(row) } });
  const asked = { operator: 'boss@example.com', payoutId: id, reason: 'known' };
  const approve = (payeeSavedAt: string | null | undefined) =>
    changePayout({ ...asked, change: { do: 'approve', payeeSavedAt } });
  const seen = (await findPayoutFacts(id))?.payeeSavedAt;
  expect(seen).toBe(row.updatedAt.toISOString());
  // Another account with the same ending, while the operator reads the page.
  await save(teamId, { destination: '00000000000000003201' });
  await expect(approve(seen)).rejects.toThrow('have changed: reload the page');
  await expect(approve(null)).rejects.toThrow('have changed: reload the page');
  expect(await prisma().payout.findUnique({ where: { id } })).toMatchObject({ approvedBy: null });
  await approve((await findPayoutFacts(id))?.payeeSavedAt);
  expect(await prisma().payout.findUnique({ where: { id } })).toMatchObject({
    approvedBy: 'boss@example.com',
  });
});
