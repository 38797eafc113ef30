import { afterEach, expect, test } from 'vitest';
import { DAY_MS, setClock } from '@/server/base/clock';
import { pool, prisma } from '@/server/base/db';
import { endBackgroundReads } from '@/server/gateway/run/background-reads';
import { endStoppedRequests } from '@/server/gateway/run/cut-off';
import { runningGenerations } from '@/server/gateway/run/run';
import { checkLedger } from '@/server/ledger';
import { forgetOldBudgets } from '@/server/ledger/budgets';
import { newSealedSecret } from '@/server/partners/webhooks/signing-secret';
import { deleteAccount } from '@/server/people/delete-account';
import { restrictKey } from '@/server/people/keys/restrict';
import { revokeKey } from '@/server/people/keys/revoke';
import { revokeLeakedKeys } from '@/server/people/leaked-keys';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';
import { until } from '../../harness/until';

/** Run keys and runs, as an agent uses them. */

process.env.LIMIT_REQUESTS_PER_KEY_PER_MINUTE = '0';
await newDatabase();
const api = await startApi();
const person = await newPerson({ credits: 1_000 });

afterEach(async () => expect((await checkLedger()).differences).toEqual([]));

const headersOf = (key: string, rest: object = {}) => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
  ...rest,
});
const call = async (method: string, path: string, key: string, body?: unknown, rest: object = {}) => {
  const sent = {
    method,
    headers: headersOf(key, rest),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
  const response = await fetch(api.url + path, sent);
  return { status: response.status, json: await response.json(), headers: response.headers };
};
const mint = (key: string, body: object = { credits: 50 }) => call('POST', '/v1/keys', key, body);
async function minted(key: string, body?: object): Promise<{ key: string; id: string }> {
  const { status, json } = await mint(key, body);
  expect([status, json.user_key]).toEqual([200, expect.stringMatching(/^svc_sk_[0-9A-Za-z]{49}$/)]);
  return { key: json.user_key, id: json.key_id };
}
const chat = {
  model: 'sandbox/echo',
  max_tokens: 20,
  messages: [{ role: 'user', content: 'The sea. '.repeat(50) }],
};
const send = (key: string, rest: object = {}, headers: object = {}) =>
  call('POST', '/v1/chat/completions', key, { ...chat, ...rest }, headers);
const balance = async (key: string) => (await call('GET', '/v1/credits/balance', key)).json;

test('a run key spends its budget to the end, and names where the user can raise it', async () => {
  const { json } = await mint(person.userKey, { credits: 0.05, label: 'nightly' });
  expect(json).toMatchObject({ credits: 0.05, label: 'nightly', models: null, requests: null });
  let last = await send(json.user_key);
  expect(last.status).toBe(200);
  while (last.status === 200) last = await send(json.user_key);
  expect([last.status, last.json.error]).toMatchObject([
    402,
    {
      type: 'partner_limit_reached',
      param: 'limits.key.credits',
      action_url: expect.stringContaining('/continue?token='),
    },
  ]);
  expect(last.json.error.message).toMatch(
    /^This request costs at least [\d.]+ credits?, and [\d.]+ are left of the budget of this run key, or of one above it\. The user can raise it at http/,
  );
  const left = await balance(json.user_key);
  expect(left.key).toMatchObject({ key_id: json.key_id, label: 'nightly', credits: 0.05 });
  expect(left.key.spent + left.key.left).toBeCloseTo(0.05, 6);
  expect(left.balance).toBe(left.key.left);
  expect(await balance(person.userKey)).not.toHaveProperty('key');
});

test('a run key mints narrower ones to a depth of three, and none that can do more than itself @attack', async () => {
  const first = await minted(person.userKey, {
    credits: 100,
    expires_in: 600,
    models: ['sandbox/echo', 'sandbox/story'],
  });
  expect((await mint(first.key, { credits: 100.000001 })).json.error).toMatchObject({ param: 'credits' });
  expect((await mint(first.key, { credits: 5, models: ['sandbox/tool'] })).json.error).toMatchObject({
    param: 'models',
    message: 'models: the key that mints may not use sandbox/tool',
  });
  const longer = await mint(first.key, { credits: 5, expires_in: 86_400 });
  expect(Date.parse(longer.json.expires_at)).toBeLessThan(Date.now() + 601_000);
  expect(longer.json.models).toEqual(['sandbox/echo', 'sandbox/story']);
  const second = await minted(first.key, { credits: 40, models: ['sandbox/echo'] });
  const third = await minted(second.key, { credits: 40 });
  expect((await mint(third.key)).status).toBe(403);
  expect((await send(third.key, { model: 'sandbox/story' })).json.error).toMatchObject({
    type: 'model_not_allowed',
    param: 'model',
  });
  expect((await send(third.key)).status).toBe(200);
  for (const { key } of [first, second, third]) expect((await balance(key)).key.spent).toBeGreaterThan(0);
});

test.each([
  [{}, 'credits'],
  [{ credits: 0 }, 'credits'],
  [{ credits: -1 }, 'credits'],
  [{ credits: '5' }, 'credits'],
  [{ credits: 0.0000001 }, 'credits'],
  [{ credits: 1e30 }, 'credits'],
  [{ credits: 5, expires_in: 0 }, 'expires_in'],
  [{ credits: 5, expires_in: 30 * 86_400 + 1 }, 'expires_in'],
  [{ credits: 5, expires_in: null }, 'expires_in'],
  [{ credits: 5, models: [] }, 'models'],
  [{ credits: 5, models: 'sandbox/echo' }, 'models'],
  [{ credits: 5, requests: 1.5 }, 'requests'],
  [{ credits: 5, label: '' }, 'label'],
  [{ credits: 5, label: 'a\u0000b' }, 'label'],
  [{ credits: 5, lineage: [] }, null],
])('the body %j mints nothing', async (body, param) => {
  const { status, json } = await mint(person.userKey, body);
  expect([status, json.error.param]).toEqual([400, param]);
});

test('one call ends a branch, with a running stream, and another branch cannot make it', async () => {
  const parent = await minted(person.userKey);
  const child = await minted(parent.key);
  const sibling = await minted(person.userKey);
  expect((await call('DELETE', `/v1/keys/${child.id}`, sibling.key)).status).toBe(404);
  expect((await call('DELETE', `/v1/keys/${parent.id}`, child.key)).status).toBe(404);
  const stream = await fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: headersOf(child.key),
    body: JSON.stringify({ ...chat, model: 'sandbox/stall', stream: true }),
  });
  expect((await call('DELETE', `/v1/keys/${parent.id}`, person.userKey)).json).toEqual({
    key_id: parent.id,
    revoked: true,
  });
  for (const { key } of [parent, child]) {
    expect((await send(key)).status).toBe(401);
    expect((await mint(key)).status).toBe(401);
  }
  expect((await send(sibling.key)).status).toBe(200);
  await endStoppedRequests();
  expect(await stream.text()).toContain('"type":"invalid_user_key"');
  endBackgroundReads();
  await until(
    async () => runningGenerations(),
    (running) => running === 0,
  );
  expect((await call('DELETE', `/v1/keys/${parent.id}`, person.userKey)).status).toBe(404);
});

test('the end of an ordinary key, however it ends, is the end of its run keys, and only it is an event', async () => {
  const owner = await newPerson({ credits: 100 });
  const webhookSecret = newSealedSecret(owner.partnerId);
  await prisma().partner.update({ where: { id: owner.partnerId }, data: { webhookSecret } });
  const child = await minted((await minted(owner.userKey)).key);
  expect(await revokeKey(owner.userId, owner.keyId)).toBe(true);
  expect((await send(child.key)).status).toBe(401);
  const { rows } = await pool().query('SELECT type FROM event WHERE partner_id = $1', [owner.partnerId]);
  expect(rows.map(({ type }) => type)).toEqual(['user_key.revoked']);
});

test('a revocation at the same time as mints below it leaves no live key @attack', async () => {
  for (let round = 0; round < 3; round++) {
    const top = await minted(person.userKey);
    const parent = await minted(top.key);
    const [, ...mints] = await Promise.all([
      call('DELETE', `/v1/keys/${top.id}`, person.userKey),
      ...Array.from({ length: 12 }, () => mint(parent.key, { credits: 1 })),
    ]);
    for (const { json } of mints)
      if (json.user_key !== undefined) expect((await send(json.user_key)).status).toBe(401);
  }
});

test('a run key that was found in public is revoked with its branch', async () => {
  const parent = await minted(person.userKey);
  const child = await minted(parent.key);
  expect(await revokeLeakedKeys([{ token: parent.key, url: '' }])).toEqual([true]);
  expect([(await send(parent.key)).status, (await send(child.key)).status]).toEqual([401, 401]);
});

test('restrictions of a key apply to its run keys, old and new', async () => {
  const owner = await newPerson({ credits: 100 });
  const before = await minted(owner.userKey);
  await restrictKey(owner.userId, owner.keyId, { origins: 'https://app.example', networks: '' });
  const from = { origin: 'https://app.example' };
  expect((await send(before.key)).status).toBe(403);
  expect((await send(before.key, {}, from)).status).toBe(200);
  const after = await call('POST', '/v1/keys', owner.userKey, { credits: 5 }, from);
  expect((await send(after.json.user_key)).status).toBe(403);
});

test('run keys are not among the ten keys of a user and app', async () => {
  const owner = await newPerson({ credits: 100 });
  for (let n = 0; n < 12; n++) await minted(owner.userKey, { credits: 1 });
  expect((await send(owner.userKey)).status).toBe(200);
});

test('keys that are minted and revoked again do not pile up @attack', async () => {
  const owner = await newPerson({ credits: 10 });
  const parent = await minted(owner.userKey, { credits: 5, expires_in: 30 * 86_400 });
  const child = await minted(parent.key, { credits: 1 });
  expect((await call('DELETE', `/v1/keys/${parent.id}`, owner.userKey)).status).toBe(200);
  setClock(() => Date.now() + 2 * DAY_MS);
  await forgetOldBudgets();
  setClock();
  expect(await prisma().userKey.count({ where: { id: { in: [parent.id, child.id] } } })).toBe(0);
  await pool().query(
    `INSERT INTO user_key (id, user_id, partner_id, hash, last4, created_at, lineage, expires_at, revoked_at)
     SELECT 'key_old' || n, user_id, partner_id, sha256(('old' || n)::bytea), 'aaaa', k.created_at, ARRAY[k.id, 'key_old' || n],
       k.created_at, k.created_at FROM user_key k, generate_series(1, 10000) n WHERE k.id = $1`,
    [owner.keyId],
  );
  expect((await mint(owner.userKey)).json.error).toMatchObject({
    type: 'rate_limited',
    message: expect.stringContaining('10000 run keys'),
  });
  await prisma().userKey.deleteMany({ where: { id: { startsWith: 'key_old' } } });
});

test('a run key reads the requests of its own branch only', async () => {
  const parent = await minted(person.userKey);
  const child = await minted(parent.key);
  const own = (await send(child.key)).headers.get('x-request-id');
  const other = (await send(person.userKey)).headers.get('x-request-id');
  const history = (await call('GET', '/v1/credits/history', parent.key)).json;
  expect([history.total, history.data.map((entry: { request_id: string }) => entry.request_id)]).toEqual([
    1,
    [own],
  ]);
  expect((await call('GET', `/v1/credits/receipts/${own}`, parent.key)).status).toBe(200);
  expect((await call('GET', `/v1/credits/receipts/${other}`, parent.key)).status).toBe(404);
  expect((await call('GET', '/v1/credits/statements', parent.key)).status).toBe(403);
});

test('a run key reads, continues and deletes the kept responses of its own branch only @attack', async () => {
  const parent = await minted(person.userKey);
  const child = await minted(parent.key, { credits: 5 });
  const respond = (key: string, rest: object = {}) =>
    call('POST', '/v1/responses', key, { model: 'sandbox/echo', input: 'My secret', ...rest });
  const other = (await respond(person.userKey)).json;
  const own = (await respond(child.key)).json;
  const item = (id: string) => [{ type: 'item_reference', id }];
  const useAll = async (key: string, { id, output }: typeof own) => {
    const path = `/v1/responses/${id}`;
    const results = [
      await call('GET', path, key),
      await call('GET', `${path}/input_items`, key),
      await respond(key, { previous_response_id: id }),
      await respond(key, { input: [...item(output[0].id), { role: 'user', content: 'More' }] }),
      await call('DELETE', path, key),
    ];
    return results.map(({ status }) => status);
  };
  expect(await useAll(child.key, other)).toEqual([404, 404, 400, 400, 404]);
  expect(await useAll(parent.key, own)).toEqual([200, 200, 200, 200, 200]);
  expect(await useAll(person.userKey, other)).toEqual([200, 200, 200, 200, 200]);
});

test('a run key neither uses nor reads a run of another branch, and those above it read the sum @attack', async () => {
  const parent = await minted(person.userKey);
  const [child, sibling] = [await minted(parent.key, { credits: 5 }), await minted(person.userKey)];
  const run = { 'x-svc-run': 'shared' };
  const read = async (key: string) => (await call('GET', '/v1/credits/runs/shared', key)).json;
  const ceiling = { ...run, 'x-svc-run-max-credits': '1' };
  expect((await send(person.userKey, {}, { ...run, 'x-svc-run-max-credits': '2' })).status).toBe(200);
  expect((await send(child.key, {}, ceiling)).status).toBe(200);
  // It exists for others, with other ceilings.
  expect((await send(parent.key, {}, run)).status).toBe(200);
  for (let n = 0; n < 2; n++) expect((await send(sibling.key, {}, ceiling)).status).toBe(200);
  const sums = await Promise.all(
    [child, sibling, parent, { key: person.userKey }].map(({ key }) => read(key)),
  );
  expect(sums.map((sum) => [sum.requests, sum.max_credits])).toEqual([
    [1, 1],
    [2, 1],
    [2, null],
    [5, 2],
  ]);
  const [ofChild, ofSibling, ofParent, ofAll] = sums.map(({ credits }) => credits);
  expect(ofParent).toBeCloseTo(2 * ofChild, 6);
  expect(ofAll).toBeCloseTo(3 * ofChild + ofSibling, 6);
  expect(sums[3].left).toBeCloseTo(2 - ofChild, 6);
  const fresh = await minted(sibling.key, { credits: 5 });
  expect((await call('GET', '/v1/credits/runs/shared', fresh.key)).status).toBe(404);
});

test('a run key gets no replay of another branch, whatever Idempotency-Key it names @attack', async () => {
  const parent = await minted(person.userKey);
  const child = await minted(parent.key, { credits: 5 });
  const keys = [person.userKey, parent.key, child.key];
  const twice = keys.flatMap((key) => [key, key]);
  const replayed: (string | null)[] = [];
  for (const key of twice) {
    const { headers } = await send(key, {}, { 'idempotency-key': `${parent.id} once` });
    replayed.push(headers.get('idempotent-replayed'));
  }
  expect(replayed).toEqual([null, 'true', null, 'true', null, 'true']);
});

test('a quote knows the models of a run key, and compares the requests of its branch only @attack', async () => {
  const owner = await newPerson({ credits: 100 });
  const echo = await minted(owner.userKey, { credits: 5, models: ['sandbox/echo'] });
  const quote = (key: string, model: string) =>
    call('POST', '/v1/credits/quote', key, {
      endpoint: '/v1/chat/completions',
      request: { ...chat, model },
    });
  expect((await send(owner.userKey)).status).toBe(200);
  const basis = async (key: string) => (await quote(key, 'sandbox/echo')).json.basis.requests;
  expect([await basis(owner.userKey), await basis(echo.key)]).toEqual([1, 0]);
  expect((await send(echo.key)).status).toBe(200);
  expect([await basis(owner.userKey), await basis(echo.key)]).toEqual([2, 1]);
  const refused = [
    await quote(echo.key, 'sandbox/story'),
    await send(echo.key, { model: 'sandbox/story' }),
    await call('POST', '/v1/messages/count_tokens', echo.key, { ...chat, model: 'sandbox/story' }),
  ];
  for (const { status, json } of refused)
    expect([status, json.error.message]).toEqual([403, 'This run key may not use the model sandbox/story']);
});

test('a deleted account leaves no label of a run key and no name of a run', async () => {
  const owner = await newPerson({ credits: 10 });
  const { json } = await mint(owner.userKey, { credits: 5, label: 'Ada’s report' });
  expect((await send(json.user_key, {}, { 'x-svc-run': 'ada-7' })).status).toBe(200);
  await deleteAccount(owner.userId);
  const { label } = await prisma().userKey.findUniqueOrThrow({ where: { id: json.key_id } });
  const budgets = await prisma().budget.findMany({ where: { userId: owner.userId } });
  expect([label, budgets.map(({ id }) => id)]).toEqual([null, []]);
});

test('a run sums its requests under its ceiling', async () => {
  const run = { 'x-svc-run': 'agent-7:a' };
  expect((await call('GET', '/v1/credits/runs/agent-7:a', person.userKey)).status).toBe(404);
  expect((await send(person.userKey, {}, { ...run, 'x-svc-run-max-credits': '0.05' })).status).toBe(200);
  const other = await send(person.userKey, {}, { ...run, 'x-svc-run-max-credits': '0.06' });
  expect([other.status, other.json.error.param]).toEqual([400, 'run_max_credits']);
  let last = await send(person.userKey, {}, run);
  while (last.status === 200) last = await send(person.userKey, {}, run);
  expect([last.status, last.json.error.param]).toEqual([402, 'limits.run.credits']);
  const { json } = await call('GET', '/v1/credits/runs/agent-7:a', person.userKey);
  expect(json).toMatchObject({ id: 'agent-7:a', held: 0, max_credits: 0.05 });
  expect(json.credits + json.left).toBeCloseTo(0.05, 6);
  expect(json.requests).toBeGreaterThan(1);
  const stranger = await newPerson({ credits: 10 });
  expect((await call('GET', '/v1/credits/runs/agent-7:a', stranger.userKey)).status).toBe(404);
});

test.each(['', 'a b', 'ü', 'a/b', 'x'.repeat(65)])('the run %j is a 400', async (id) => {
  const { status, json } = await send(person.userKey, {}, { 'x-svc-run': encodeURI(id) });
  expect([status, json.error.param]).toEqual([400, 'run']);
});

// Last: the clock of the database stays ahead.
test('a run key that has expired gets 401 wherever it is looked up', async () => {
  const { key } = await minted(person.userKey, { credits: 5, expires_in: 60 });
  expect((await send(key)).status).toBe(200);
  await pool().query(
    "CREATE OR REPLACE FUNCTION ledger_clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$ SELECT clock_timestamp() + interval '61 seconds' $$",
  );
  const answers = [await send(key), await mint(key), await call('GET', '/v1/credits/balance', key)];
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
});
