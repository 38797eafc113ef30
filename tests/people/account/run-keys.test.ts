import { afterEach, expect, test } from 'vitest';
import { type Microcredits, wholeCredits } from '@/server/base/credits';
import { prisma } from '@/server/base/db';
import { endBackgroundReads } from '@/server/gateway/run/background-reads';
import { endStoppedRequests } from '@/server/gateway/run/cut-off';
import { checkLedger } from '@/server/ledger';
import { deleteAccount } from '@/server/people/delete-account';
import { revokeKey } from '@/server/people/keys/revoke';
import { listRunKeys, raiseRunKey } from '@/server/people/keys/run-keys-of-user';
import { listRuns } from '@/server/people/keys/runs-of-user';
import { findActionPlace } from '@/server/people/open-action-link';
import { findUserReceipt } from '@/server/reports/activity/user-receipt';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson, type Person } from '../../harness/people';
import { until } from '../../harness/until';

/** The run keys of a user, as the account shows, raises and ends them. */

process.env.LIMIT_REQUESTS_PER_KEY_PER_MINUTE = '0';
await newDatabase();
const api = await startApi();

afterEach(async () => expect((await checkLedger()).differences).toEqual([]));

async function call(method: string, path: string, key: string, body?: object, rest: object = {}) {
  const response = await fetch(api.url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...rest },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: await response.json(), headers: response.headers };
}
async function mint(key: string, body: object = { credits: 50 }): Promise<{ key: string; id: string }> {
  const { json } = await call('POST', '/v1/keys', key, body);
  return { key: json.user_key, id: json.key_id };
}
const chat = {
  model: 'sandbox/echo',
  max_tokens: 20,
  messages: [{ role: 'user', content: 'The sea. '.repeat(50) }],
};
const send = (key: string, rest: object = {}) => call('POST', '/v1/chat/completions', key, chat, rest);
const list = (owner: Person, { first = null as string | null, limit = 50, offset = 0 } = {}) =>
  listRunKeys(owner, { first, limit, offset });
const idsOf = ({ keys }: Awaited<ReturnType<typeof list>>) => keys.map(({ keyId }) => keyId);

test('the account lists each live run key below the one that minted it, page by page', async () => {
  const owner = await newPerson({ credits: 100 });
  const older = await mint(owner.userKey, { credits: 50, label: 'older' });
  const child = await mint(older.key, { credits: 20, requests: 1 });
  const grandchild = await mint(child.key, { credits: 20 });
  const newer = await mint(owner.userKey, { credits: 10 });
  expect((await send(grandchild.key)).status).toBe(200);

  const all = await list(owner);
  expect([all.total, idsOf(all)]).toEqual([4, [newer.id, older.id, child.id, grandchild.id]]);
  const [, first, second, third] = all.keys;
  expect(first).toMatchObject({
    label: 'older',
    depth: 1,
    ordinaryLast4: owner.userKey.slice(-4),
    used: 1,
    requests: null,
    isUsedUp: false,
  });
  expect(first?.left).toBe(wholeCredits(50) - (first?.spent ?? 0n));
  expect([second?.depth, second?.isUsedUp]).toEqual([2, true]);
  expect([third?.depth, third?.isUsedUp, third?.used, third?.spent]).toEqual([3, true, 1, first?.spent]);

  const pages = [await list(owner, { limit: 3 }), await list(owner, { limit: 3, offset: 3 })];
  expect(pages.flatMap(idsOf)).toEqual(idsOf(all));
  expect(idsOf(await list(owner, { first: older.id }))[0]).toBe(older.id);
  expect(await list(await newPerson(), { first: older.id })).toEqual({ keys: [], total: 0 });
  expect((await list({ ...owner, partnerId: (await newPerson()).partnerId })).total).toBe(0);
});

test('a run key that is low because of the key above it shows what that one has left', async () => {
  const owner = await newPerson({ credits: 100 });
  const parent = await mint(owner.userKey, { credits: 50 });
  const child = await mint(parent.key, { credits: 50 });
  expect((await send(parent.key)).status).toBe(200);
  const [above, below] = (await list(owner)).keys;
  expect([above?.keyId, below?.keyId, below?.spent]).toEqual([parent.id, child.id, 0n]);
  expect(below?.left).toBe(above?.left);
});

test('a raised budget pays for the next request, and the address in the 402 leads to the key to raise', async () => {
  const owner = await newPerson({ credits: 100 });
  const { key, id } = await mint(owner.userKey, { credits: 0.001 });
  const below = await mint(key, { credits: 0.001 });
  const refused = [await send(key), await send(below.key)];
  for (const { status, json } of refused) {
    expect([status, json.error.param]).toEqual([402, 'limits.key.credits']);
    const token = new URL(json.error.action_url).searchParams.get('token') ?? '';
    const path = `/account/apps/${owner.partnerId}?key=${id}`;
    expect(await findActionPlace(token, owner.userId)).toEqual({ path });
  }
  for (const each of [id, below.id])
    expect(await raiseRunKey(owner.userId, each, wholeCredits(5))).toBeNull();
  for (const each of [key, below.key]) expect((await send(each)).status).toBe(200);
});

test('only the user raises a budget, while the key lives, to what is spent or more @attack', async () => {
  const [owner, other] = [await newPerson({ credits: 100 }), await newPerson({ credits: 100 })];
  const parent = await mint(owner.userKey, { credits: 50 });
  const child = await mint(parent.key, { credits: 20 });
  expect((await send(child.key)).status).toBe(200);
  const spent = (await list(owner)).keys[0]?.spent ?? 0n;
  expect(spent).toBeGreaterThan(0n);
  const raise = (userId: string, id: string, amount: bigint) =>
    raiseRunKey(userId, id, amount as Microcredits);

  expect(await raise(other.userId, parent.id, wholeCredits(60))).toEqual({ reason: 'not_live' });
  expect(await raise(owner.userId, 'key_none', wholeCredits(60))).toEqual({ reason: 'not_live' });
  expect(await raise(owner.userId, owner.keyId, wholeCredits(60))).toEqual({ reason: 'not_live' });
  expect(await raise(owner.userId, parent.id, spent - 1n)).toEqual({ reason: 'too_low', spent, held: 0n });
  expect((await list(owner)).keys.map((key) => key.credits)).toEqual([wholeCredits(50), wholeCredits(20)]);
  expect(await raise(owner.userId, parent.id, spent)).toBeNull();
  expect((await list(owner)).keys.map((key) => key.isUsedUp)).toEqual([true, true]);

  expect(await revokeKey(other.userId, parent.id)).toBe(false);
  expect(await revokeKey(owner.userId, parent.id)).toBe(true);
  expect(await raise(owner.userId, parent.id, wholeCredits(60))).toEqual({ reason: 'not_live' });
  expect(await revokeKey(owner.userId, parent.id)).toBe(false);
});

test('ending a run key ends those below it, and no other', async () => {
  const owner = await newPerson({ credits: 100 });
  const parent = await mint(owner.userKey);
  const child = await mint(parent.key);
  const other = await mint(owner.userKey);
  expect(await revokeKey(owner.userId, parent.id)).toBe(true);
  const statuses = await Promise.all([parent, child, other].map(async ({ key }) => (await send(key)).status));
  expect(statuses).toEqual([401, 401, 200]);
  expect(idsOf(await list(owner))).toEqual([other.id]);
});

test('the history and the receipt of a request name its run key, and no ordinary key', async () => {
  const owner = await newPerson({ credits: 100 });
  const named = await mint(owner.userKey, { credits: 5, label: 'nightly' });
  const unnamed = await mint(named.key, { credits: 5 });
  const requests: string[] = [];
  for (const key of [named.key, unnamed.key, owner.userKey])
    requests.push((await send(key)).headers.get('x-request-id') ?? '');
  const { data } = (await call('GET', '/v1/credits/history', owner.userKey)).json;
  const entries = requests.map((id) => data.find((entry: { request_id: string }) => entry.request_id === id));
  expect(entries).toMatchObject([
    { key_id: named.id, label: 'nightly' },
    { key_id: unnamed.id, label: null },
    { type: 'usage' },
  ]);
  for (const entry of [entries[2], data.at(-1)]) {
    expect(entry).not.toHaveProperty('key_id');
    expect(entry).not.toHaveProperty('label');
  }
  const receipts = await Promise.all(
    requests.map(async (id) => (await call('GET', `/v1/credits/receipts/${id}`, owner.userKey)).json),
  );
  const ofKeys = [
    [named.id, 'nightly'],
    [unnamed.id, null],
    [null, null],
  ];
  expect(receipts.map(({ key_id, label }) => [key_id, label])).toEqual(ofKeys);
  const shown = await Promise.all(requests.map((id) => findUserReceipt(owner.userId, id)));
  expect(shown.map((receipt) => [receipt?.runKeyId, receipt?.runKeyLabel])).toEqual(ofKeys);
});

test('the account lists what each run spent, with the run key that it belongs to, and no run of others', async () => {
  const owner = await newPerson({ credits: 100 });
  const named = await mint(owner.userKey, { credits: 5, label: 'nightly' });
  const run = { 'x-svc-run': 'report:7', 'x-svc-run-max-credits': '2' };
  for (const key of [owner.userKey, named.key, named.key])
    expect((await call('POST', '/v1/chat/completions', key, chat, run)).status).toBe(200);
  expect((await send(owner.userKey)).status).toBe(200);
  const runs = await listRuns(owner, 50);
  const [first] = runs;
  expect(runs).toMatchObject([
    { id: 'report:7', keyId: named.id, keyLabel: 'nightly', used: 2, credits: wholeCredits(2) },
    { id: 'report:7', keyId: null, keyLabel: null, used: 1, spent: (first?.spent ?? 0n) / 2n },
  ]);
  expect(await listRuns(owner, 1)).toEqual([first]);
  expect(await listRuns(await newPerson(), 50)).toEqual([]);
  expect(await listRuns({ ...owner, partnerId: (await newPerson()).partnerId }, 50)).toEqual([]);
});

test('deleting the account erases labels and budgets, also while a request of a run is running', async () => {
  const owner = await newPerson({ credits: 100 });
  const { key, id } = await mint(owner.userKey, { credits: 5, label: 'for Ada' });
  const run = { 'x-svc-run': 'ada-7' };
  expect((await send(key, run)).status).toBe(200);
  const stream = await fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...run },
    body: JSON.stringify({ ...chat, model: 'sandbox/stall', stream: true }),
  });
  expect(stream.status).toBe(200);
  expect(await prisma().budget.count({ where: { userId: owner.userId } })).toBe(2);
  await deleteAccount(owner.userId);
  expect(await prisma().budget.count({ where: { userId: owner.userId } })).toBe(0);
  expect(await prisma().userKey.findUniqueOrThrow({ where: { id } })).toMatchObject({ label: null });
  expect((await checkLedger()).differences).toEqual([]);
  await endStoppedRequests();
  await stream.text();
  endBackgroundReads();
  await until(
    async () => prisma().hold.count({ where: { userId: owner.userId } }),
    (holds) => holds === 0,
  );
  expect(await prisma().budget.count({ where: { userId: owner.userId } })).toBe(0);
});
