import { beforeEach, describe, expect, it } from 'vitest';
import { inTransaction, prisma } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { changePartner } from '@/server/operator/change-partner';
import { runCommand } from '@/server/operator/cli/run';
import { enablePartner, findPartner, type Partner } from '@/server/partners/partner';
import { renamePartner } from '@/server/partners/rename';
import { approvePartner, declinePartner, signUpPartner } from '@/server/partners/sign-up';
import { findOwner } from '@/server/partners/teams';
import { openUser } from '@/server/people/users';
import { newDatabase } from '../harness';

await newDatabase();

let owners = 0;
const newOwner = () => `owner-${++owners}@example.com`;
const signUp = async (name: string, email = newOwner()) => {
  const { id: userId } = await inTransaction((tx) => openUser(tx, email));
  return signUpPartner({ email, userId, teamId: null, name, rateBp: 1_000, origins: [] });
};
const read = async ({ id }: Partner): Promise<Partner> => {
  const partner = await findPartner(id);
  if (partner === null) throw new Error('partners are never deleted');
  return partner;
};
const review = (partner: Partner, what: 'name_approve' | 'name_decline', name: string) =>
  changePartner({
    operator: 'boss@example.com',
    partnerId: partner.id,
    reason: 'seen',
    change: { do: what, name },
  });
const setMode = (mode: 'open' | 'approval' | 'closed') => Object.assign(settings(), { PARTNER_SIGNUP: mode });

async function svc(...words: string[]): Promise<{ code: number; text: string }> {
  let text = '';
  const keep = (part: string) => {
    text += part;
  };
  return { code: await runCommand(words, { out: keep, err: keep }), text };
}

beforeEach(() => setMode('open'));

describe('a name that looks like another app’s', () => {
  it.each([
    ['Victim', 'Victim'],
    ['Victim', 'VIC-TIM!'],
    ['Victim', 'Víctim'],
    ['Victim', 'Victirn'],
    ['Victim', 'V1ctlm'],
    ['Peace', 'Реасе'],
    ['Peace App', 'РЕАСЕ Арр'],
    ['Zeta', 'ΖΕΤΑ'],
  ])('is refused: "%s" and "%s" @attack', async (taken, name) => {
    await prisma().partner.updateMany({ data: { nameSkeleton: null } });
    await signUp(taken);
    const message = 'This name is too similar to one in use. Choose another';
    await expect(signUp(name)).rejects.toMatchObject({ code: 'invalid_request', param: 'name', message });
    const other = await signUp('Harmless');
    await expect(renamePartner(other, name)).rejects.toMatchObject({ message });
    expect((await read(other)).name).toBe('Harmless');
  });

  it('is named only to its owner and to operators', async () => {
    const first = await signUp('Lighthouse');
    await expect(signUp('LIGHT HOUSE', (await findOwner(first)) ?? '')).rejects.toThrow(
      'You already have an app named "Lighthouse"',
    );
    const { code, text } = await svc('partner', 'create', '--name', 'LightHouse', '--rate', '5');
    expect([code, text]).toEqual([1, `name: Too similar to "Lighthouse" (${first.id})\n`]);
  });

  it('goes to exactly one of many parallel sign-ups @attack', async () => {
    const names = [
      'Raceway',
      'RACEWAY',
      'Race-way',
      'Ra-ce-way',
      'Racevvay',
      'Race Way',
      'Ráceway',
      'raceway',
    ];
    const outcomes = await Promise.allSettled(names.map((name) => signUp(name)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected')
        expect(outcome.reason.message).toContain('too similar to one in use');
  });

  it('goes to exactly one of many parallel renames, and to the same app again @attack', async () => {
    const apps = await Promise.all(['Alder', 'Birch', 'Cedar', 'Dogwood'].map((name) => signUp(name)));
    const outcomes = await Promise.allSettled(apps.map((app) => renamePartner(app, 'Forest')));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const winner = await prisma().partner.findFirstOrThrow({ where: { name: 'Forest' } });
    expect(await renamePartner(winner, 'FOREST')).toBe('saved');
  });

  it('is free again once its registration is declined, and taken back with the approval', async () => {
    setMode('approval');
    const declined = await signUp('Orchard');
    expect(await declinePartner(declined.id)).toBe(true);
    const next = await signUp('Orchard');
    await expect(enablePartner(declined.id)).rejects.toThrow(`Too similar to "Orchard" (${next.id})`);
    expect(await declinePartner(next.id)).toBe(true);
    await enablePartner(declined.id);
    await expect(signUp('Orchard')).rejects.toThrow('too similar');
  });
});

it('only operators may use the brand @attack', async () => {
  for (const name of ['svc', 'SVC Billing', 'ѕѵс', 's-v-c'])
    await expect(signUp(name)).rejects.toThrow('Leave out "svc", the name of this service');
  expect((await svc('partner', 'create', '--name', 'svc Playground', '--rate', '5')).code).toBe(0);
  const { code, text } = await svc('partner', 'create', '--name', 'pay.example', '--rate', '5');
  expect([code, text]).toEqual([1, 'name: Names cannot contain web addresses: change "pay.example"\n']);
});

describe('an operator approves', () => {
  it('the name of an app with its registration, and not of one that signed up without', async () => {
    setMode('approval');
    const reviewed = await signUp('Reviewed one');
    await expect(renamePartner(reviewed, 'Something else')).rejects.toThrow('once the app is approved');
    await approvePartner(reviewed.id);
    expect((await read(reviewed)).nameApprovedAt).not.toBeNull();

    setMode('open');
    const open = await signUp('Open one');
    expect(open).toMatchObject({ review: 'approved', disabledAt: null, nameApprovedAt: null });
    await review(open, 'name_approve', 'Open one');
    expect((await read(open)).nameApprovedAt).not.toBeNull();
    await expect(review(open, 'name_approve', 'Open one')).rejects.toThrow('no longer waiting');
  });

  it('a rename where apps are reviewed: the old name stays until then, and only the name that was seen counts @attack', async () => {
    setMode('approval');
    const app = await signUp('Quiet garden');
    await approvePartner(app.id);
    expect(await renamePartner(await read(app), 'Loud garden')).toBe('waiting');
    expect(await read(app)).toMatchObject({ name: 'Quiet garden', pendingName: 'Loud garden' });

    await renamePartner(await read(app), 'Other garden');
    await expect(review(app, 'name_approve', 'Loud garden')).rejects.toThrow('no longer waiting');
    await review(app, 'name_decline', 'Other garden');
    expect(await read(app)).toMatchObject({ name: 'Quiet garden', pendingName: null });

    await renamePartner(await read(app), 'Calm garden');
    await review(app, 'name_approve', 'Calm garden');
    expect(await read(app)).toMatchObject({ name: 'Calm garden', pendingName: null });
    expect((await read(app)).nameApprovedAt).not.toBeNull();
    await expect(signUp('Calm garden')).rejects.toThrow('too similar');
    await signUp('Quiet garden');
  });

  it('no new name that another app took while it waited @attack', async () => {
    setMode('approval');
    const app = await signUp('Patient fox');
    await approvePartner(app.id);
    await renamePartner(await read(app), 'Fast fox');
    const other = await signUp('Fast fox');
    await expect(review(app, 'name_approve', 'Fast fox')).rejects.toThrow(
      `Too similar to "Fast fox" (${other.id})`,
    );
    expect((await read(app)).name).toBe('Patient fox');
  });
});

it('where sign-up is open, a rename applies immediately and loses the approval', async () => {
  const app = await signUp('Before open');
  await review(app, 'name_approve', 'Before open');
  expect(await renamePartner(await read(app), 'After open')).toBe('saved');
  expect(await read(app)).toMatchObject({ name: 'After open', nameApprovedAt: null, pendingName: null });
});
