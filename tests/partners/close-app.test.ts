import { expect, it } from 'vitest';
import { inTransaction, pool, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { readEarnings } from '@/server/ledger';
import { changePartner } from '@/server/operator/change-partner';
import { changeApp, recordWebhookChange } from '@/server/partners/app-facts';
import { listTeamActions } from '@/server/partners/audit-log';
import { deleteApp, pauseApp, resumeApp, revokeKeysOfDeletedApp } from '@/server/partners/close-app';
import { createPartner, requirePartner, stateOf } from '@/server/partners/partner';
import { renamePartner } from '@/server/partners/rename';
import { signUpPartner } from '@/server/partners/sign-up';
import type { AppOfTeam } from '@/server/partners/teams';
import { openAppUser } from '@/server/people/app-users';
import { listAppsOfUser } from '@/server/people/apps-of-user';
import { mintUserKey } from '@/server/people/keys/mint';
import { newDatabase } from '../harness';
import { startApi } from '../harness/api-server';
import { buyIn, newUser, recordRequest } from '../people/account/person';

await newDatabase();
const { url } = await startApi();

async function newApp() {
  const userId = await newUser();
  const owner = await newUser();
  const { email } = await prisma().user.findUniqueOrThrow({ where: { id: owner } });
  const app = (await createPartner({
    name: 'Harbour',
    rateBp: 2_500,
    origins: [],
    ownerEmail: email,
  })) as AppOfTeam;
  const { userKey } = await inTransaction(async (tx) => {
    await openAppUser(tx, { userId, partnerId: app.id });
    return mintUserKey(tx, { userId, partnerId: app.id, session: null });
  });
  await buyIn(userId, app.id, 100);
  return { app, owner, email, userId, userKey };
}

const read = async ({ id }: AppOfTeam) =>
  (await prisma().partner.findUniqueOrThrow({ where: { id } })) as AppOfTeam;
const act = async (app: AppOfTeam, what: string, work: typeof pauseApp) => {
  const latest = await read(app);
  return changeApp({ app: latest, actor: 'usr_test', what }, (tx) => work(tx, latest));
};
const remove = (app: AppOfTeam, name = app.name) =>
  act(app, 'app.delete', (tx, latest) => deleteApp(tx, latest, name));
const change = (app: AppOfTeam, what: 'disable' | 'enable') =>
  changePartner({ operator: 'boss@example.com', partnerId: app.id, reason: 'test', change: { do: what } });

/** The statuses of a paid request and of reading the balance. */
async function use(userKey: string): Promise<(string | number)[]> {
  const headers = { authorization: `Bearer ${userKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello' }] });
  const responses = await Promise.all([
    fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body }),
    fetch(`${url}/v1/credits/balance`, { headers }),
  ]);
  return Promise.all(
    responses.map(async (response) => {
      const { error } = (await response.json()) as { error?: { type: string } };
      return response.ok ? 200 : (error?.type ?? response.status);
    }),
  );
}

it('a paused app refuses requests and purchases with a clear error, keeps its users’ credits, and resumes', async () => {
  const { app, userId, userKey } = await newApp();
  expect(await use(userKey)).toEqual([200, 200]);
  await act(app, 'app.pause', pauseApp);
  expect(stateOf(await read(app))).toBe('paused');
  expect(await use(userKey)).toEqual(['partner_disabled', 'partner_disabled']);
  await expect(requirePartner(app.publishableKey)).rejects.toMatchObject({ code: 'partner_disabled' });
  const [seen] = await listAppsOfUser(userId);
  expect(seen?.isSuspended).toBe(true);
  expect(seen?.own).toBeGreaterThan(0n);
  await expect(act(app, 'app.pause', pauseApp)).rejects.toThrow('not running');
  await act(app, 'app.resume', resumeApp);
  expect(await use(userKey)).toEqual([200, 200]);
  const { actions } = await listTeamActions(app.teamId, { limit: 10 });
  expect(actions.map(({ what }) => what).slice(0, 2)).toEqual(['app.resume', 'app.pause']);
});

it('a team cannot resume an app that the operator disabled, before or after it was paused @attack', async () => {
  const { app, userKey } = await newApp();
  await change(app, 'disable');
  await expect(act(app, 'app.resume', resumeApp)).rejects.toThrow('not paused');
  await expect(act(app, 'app.pause', pauseApp)).rejects.toThrow('not running');
  await change(app, 'enable');
  await act(app, 'app.pause', pauseApp);
  await change(app, 'disable');
  expect(stateOf(await read(app))).toBe('disabled');
  await expect(act(app, 'app.resume', resumeApp)).rejects.toThrow('not paused');
  expect(await use(userKey)).toEqual(['partner_disabled', 'partner_disabled']);
});

it('an app is deleted only with its name, ends its keys and keeps its earnings payable', async () => {
  const { app, userId, userKey } = await newApp();
  await recordRequest(userId, { partnerId: app.id, at: '2026-11-03T10:00:00Z' });
  const before = await readEarnings(app.id);
  await expect(remove(app, 'Harbor')).rejects.toThrow('Enter the name of the app: Harbour');
  expect(stateOf(await read(app))).toBe('enabled');
  await remove(app, ' Harbour ');
  expect(await use(userKey)).toEqual(['partner_disabled', 'partner_disabled']);
  await revokeKeysOfDeletedApp(app.id);
  expect(await prisma().userKey.count({ where: { partnerId: app.id, revokedAt: null } })).toBe(0);
  expect(await use(userKey)).toEqual(['invalid_user_key', 'invalid_user_key']);
  expect(await readEarnings(app.id)).toEqual(before);
  expect((await listAppsOfUser(userId))[0]?.own).toBeGreaterThan(0n);
  const { actions } = await listTeamActions(app.teamId, { limit: 1 });
  expect(actions[0]).toMatchObject({ what: 'app.delete', after: { state: 'deleted' } });
});

it('nobody brings a deleted app back, not even the operator @attack', async () => {
  const { app } = await newApp();
  await remove(app);
  await expect(remove(app)).rejects.toThrow('already deleted');
  await expect(act(app, 'app.resume', resumeApp)).rejects.toThrow('already deleted');
  await expect(change(app, 'enable')).rejects.toThrow('deleted by its team');
  await change(app, 'disable');
  expect(stateOf(await read(app))).toBe('deleted');
  await expect(pool().query('UPDATE partner SET disabled_at = NULL WHERE id = $1', [app.id])).rejects.toThrow(
    'partner_closed_is_disabled',
  );
});

it('a team cannot change an app that it deleted, so nobody gets its name @attack', async () => {
  const { app } = await newApp();
  await remove(app);
  const latest = await read(app);
  const asked = { app: latest, actor: 'usr_test', what: 'app.rename' };
  const rename = changeApp(asked, (tx) => renamePartner(latest, 'Jetty', tx));
  await expect(rename).rejects.toThrow('already deleted');
  await expect(recordWebhookChange(asked, async () => 'done')).rejects.toThrow('already deleted');
  expect(await read(app)).toMatchObject({ name: 'Harbour', nameSkeleton: latest.nameSkeleton });
});

it('keys of an app that is not deleted are never ended in bulk @attack', async () => {
  const { app } = await newApp();
  await act(app, 'app.pause', pauseApp);
  await revokeKeysOfDeletedApp(app.id);
  expect(await prisma().userKey.count({ where: { partnerId: app.id, revokedAt: null } })).toBe(1);
});

it('a deleted app no longer counts among the 20 of its team', async () => {
  const { app, owner: userId, email } = await newApp();
  const signUp = (name: string) =>
    signUpPartner({ email, userId, teamId: app.teamId, name, rateBp: 0, origins: [] });
  await prisma().partner.createMany({
    data: Array.from({ length: 19 }, () => ({
      id: newId('prt'),
      name: 'Filler',
      publishableKey: newId('prt'),
      teamId: app.teamId,
    })),
  });
  await expect(signUp('Pier')).rejects.toThrow('at most 20 apps');
  await remove(app);
  expect((await signUp('Pier')).teamId).toBe(app.teamId);
});

it('a team does not take names without end by deleting its apps @attack', async () => {
  const { app, owner: userId, email } = await newApp();
  await prisma().partner.createMany({
    data: Array.from({ length: 99 }, () => ({
      id: newId('prt'),
      name: 'Filler',
      publishableKey: newId('prt'),
      teamId: app.teamId,
      disabledAt: new Date(),
      closed: 'deleted',
    })),
  });
  const next = { email, userId, teamId: app.teamId, name: 'Pier', rateBp: 0, origins: [] };
  await expect(signUpPartner(next)).rejects.toThrow('at most 100 apps');
});
