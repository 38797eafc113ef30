import { describe, expect, it } from 'vitest';
import { wholeCredits } from '@/server/base/credits';
import { prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { checkLedger, readSpendable } from '@/server/ledger';
import { giveCredits, takeCreditsAway } from '@/server/operator/change-credits';
import { changePartner } from '@/server/operator/change-partner';
import { runCommand } from '@/server/operator/cli/run';
import { findUserByRef, findUserRef } from '@/server/operator/find-user';
import { dismissAlert } from '@/server/operator/handle-payments';
import { listActions } from '@/server/operator/record';
import { createPartner } from '@/server/partners/partner';
import { newDatabase } from '../harness';
import { newPerson, type Person } from '../harness/people';

await newDatabase();

const OPERATOR = 'boss@example.com';

const logOf = async (subject: string) =>
  (await listActions({ subject, limit: 50 })).actions.map(({ actor, what, reason, before, after }) => ({
    actor,
    what,
    reason,
    before,
    after,
  }));

const change = (person: Person, credits: number, changeId = newId('req')) => ({
  operator: OPERATOR,
  userId: person.userId,
  partnerId: person.partnerId,
  credits: wholeCredits(credits),
  reason: 'an apology',
  changeId,
});

const balanceOf = async ({ userId, partnerId }: Person) =>
  Number((await readSpendable(userId, partnerId)).balance) / 1e6;

describe('credits moved by an operator', () => {
  it('are granted and taken back once per id, each with one audit entry', async () => {
    const person = await newPerson({ credits: 10 });
    const grant = change(person, 30);
    const { transactionId } = await giveCredits(grant);
    expect(await giveCredits(grant)).toEqual({ transactionId });
    const back = change(person, 15);
    await takeCreditsAway(back);
    await takeCreditsAway(back);
    expect(await balanceOf(person)).toBe(25);
    expect((await logOf(person.userId)).map(({ what }) => what)).toEqual(['credits.take', 'credits.give']);
    expect((await logOf(person.userId))[1]).toMatchObject({
      actor: OPERATOR,
      reason: 'an apology',
      after: { credits: 30, app: person.partnerId, transaction: transactionId },
    });
    expect((await checkLedger()).differences).toEqual([]);
  });

  it('are not moved without a reason or beyond the available balance, and then nothing is logged', async () => {
    const person = await newPerson({ credits: 10 });
    await expect(giveCredits({ ...change(person, 5), reason: '  ' })).rejects.toThrow(/Enter a reason/);
    await expect(takeCreditsAway(change(person, 11))).rejects.toThrow('At most 10 credits');
    expect(await balanceOf(person)).toBe(10);
    expect(await logOf(person.userId)).toEqual([]);
  });
});

it('an app is approved once; a refused action leaves no audit entry', async () => {
  const { id } = await createPartner({ name: 'New', rateBp: 2500, origins: [], isPending: true });
  const approve = { operator: OPERATOR, partnerId: id, reason: 'fine', change: { do: 'approve' } } as const;
  await changePartner(approve);
  await expect(changePartner(approve)).rejects.toThrow('no longer waiting');
  await expect(changePartner({ ...approve, reason: ' ', change: { do: 'disable' } })).rejects.toThrow(
    'Enter a reason',
  );
  expect(await logOf(id)).toHaveLength(1);
});

describe('the audit log', () => {
  it('cannot be changed or emptied', async () => {
    await expect(prisma().auditEntry.updateMany({ data: { reason: 'other' } })).rejects.toThrow(
      'append-only',
    );
    await expect(prisma().auditEntry.deleteMany()).rejects.toThrow('append-only');
  });

  it('contains the actions of the command line, under its name', async () => {
    const person = await newPerson({ credits: 10 });
    const { email } = await prisma().user.findUniqueOrThrow({ where: { id: person.userId } });
    const quiet = { out: () => {}, err: () => {} };
    const options = ['--credits', '4', '--app', person.publishableKey, '--reason', 'test'];
    expect(await runCommand(['user', 'take', email, ...options], quiet)).toBe(0);
    expect(await runCommand(['partner', 'disable', person.publishableKey], quiet)).toBe(0);
    expect(await logOf(person.userId)).toMatchObject([
      { actor: 'command line', what: 'credits.take', reason: 'test' },
    ]);
    expect(await logOf(person.partnerId)).toMatchObject([{ what: 'app.disable', reason: 'none given' }]);
    expect(await balanceOf(person)).toBe(6);
  });

  it('pages from newest to oldest', async () => {
    const first = await listActions({ limit: 3 });
    expect(first.hasMore).toBe(true);
    const second = await listActions({ limit: 3, before: first.actions.at(-1)?.id });
    expect(second.actions[0]?.id).toBeLessThan(first.actions.at(-1)?.id ?? 0);
  });
});

it('an alert is dismissed once, with a reason', async () => {
  await prisma().paymentAlert.create({
    data: { id: 'dp_1', kind: 'dispute', sessionId: newId('cks'), detail: 'fraudulent' },
  });
  const dismissal = { operator: OPERATOR, alertId: 'dp_1', reason: 'answered at the processor' };
  await dismissAlert(dismissal);
  await expect(dismissAlert(dismissal)).rejects.toThrow('no longer open');
  expect(await logOf('dp_1')).toHaveLength(1);
});

it('a user appears in URLs as a sealed reference that only this installation can read', async () => {
  const person = await newPerson();
  const { email } = await prisma().user.findUniqueOrThrow({ where: { id: person.userId } });
  const ref = await findUserRef(` ${email.toUpperCase()} `);
  expect(ref).not.toContain('usr_');
  expect(await findUserByRef(String(ref))).toEqual({ id: person.userId, email });
  for (const unknown of ['nobody@example.com', 'au_nobody', 'txn_nobody', 'cks_nobody', 'req_1', ''])
    expect(await findUserRef(unknown)).toBeNull();
  for (const bad of ['', 'x', `${ref}A`, person.userId]) expect(await findUserByRef(bad)).toBeNull();
});
