import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { pool, prisma } from '@/server/base/db';
import { changePartner } from '@/server/operator/change-partner';
import { findUserByRef } from '@/server/operator/find-user';
import { listPaused, readOverruns, resumeUserAs } from '@/server/operator/overruns';
import { readServiceState } from '@/server/operator/state';
import { readPeriod } from '@/server/reports/activity/periods';
import { newDatabase } from '../harness';
import { startApi } from '../harness/api-server';
import { configureProviders, modelOf } from '../harness/custom-providers';
import { newPerson, type Person } from '../harness/people';
import { completion } from '../harness/scripted-responses';
import { startScriptedUpstream } from '../harness/scripted-upstream';
import { forge } from '../ledger/forged-rows';

/** Requests over HTTP to a provider that bills more than was held: seen, and stopped. */

const TOKEN = 'a token of the overrun tests';
Object.assign(process.env, {
  METRICS_TOKEN: TOKEN,
  LOG_LEVEL: 'warn',
  LIMIT_OVERRUN_CREDITS_PER_USER_PER_DAY: '15',
  LIMIT_OVERRUN_CREDITS_PER_APP_PER_DAY: '35',
});
await newDatabase();
const upstream = await startScriptedUpstream();
configureProviders(upstream.url, [{ provider: 'chatty', format: 'openai' }]);
const { url } = await startApi();

/** The lines of the log. */
const logged: string[] = [];
const write = process.stdout.write.bind(process.stdout);
vi.spyOn(process.stdout, 'write').mockImplementation((text) =>
  String(text).startsWith('{"level"') ? logged.push(String(text)) > 0 : write(text),
);
beforeEach(() => void logged.splice(0));
afterAll(() => vi.restoreAllMocks());

/** At 1 USD per million tokens, this costs 10 credits. */
const LONG_PROMPT = { prompt_tokens: 99_990, completion_tokens: 10 };
const { body } = completion({ content: 'Hello' });
upstream.script('chatty', { body: { ...(body as object), usage: LONG_PROMPT } });

const call = ({ userKey }: { userKey: string }, path: string, content?: object) =>
  fetch(url + path, {
    headers: { authorization: `Bearer ${userKey}` },
    ...(content && { method: 'POST', body: JSON.stringify(content) }),
  });

let prompts = 0;
/** A prompt that the provider has not counted before, whose hold would then suffice. */
const generate = (person: Person) =>
  call(person, '/v1/chat/completions', {
    model: modelOf('chatty'),
    max_tokens: 10,
    messages: [{ role: 'user', content: `hi ${prompts++}` }],
  });

const statusOf = async (person: Person) => (await (await call(person, '/v1/credits/balance')).json()).status;
const readMetrics = async () => (await call({ userKey: TOKEN }, '/metrics')).text();
const today = () => readPeriod('7d');

/** A user with one overrun. */
async function newOverrun(): Promise<{ person: Person; requestId: string; overrun: bigint }> {
  const person = await newPerson({ credits: 100, rateBp: 0 });
  const response = await generate(person);
  expect(response.status).toBe(200);
  const held = BigInt(Math.round(Number(response.headers.get('x-svc-credits-charged')) * 1e6));
  return { person, requestId: response.headers.get('x-request-id') ?? '', overrun: 10_000_000n - held };
}

test('an overrun is one log line with its request, model and amounts, and no user', async () => {
  const { requestId, overrun } = await newOverrun();
  const overrunCredits = Number(overrun) / 1e6;
  expect(logged.map((line) => JSON.parse(line))).toEqual([
    {
      level: 40,
      time: expect.any(String),
      instance: expect.any(String),
      version: expect.any(String),
      request_id: requestId,
      model: 'chatty/chatty',
      provider: 'chatty',
      held_credits: expect.closeTo(10 - overrunCredits, 6),
      cost_credits: 10,
      overrun_credits: overrunCredits,
      msg: 'a request cost more than its hold',
    },
  ]);
  expect(logged.join('')).not.toMatch(/usr_|au_|@/);
});

test('metrics report the overruns of the last hour by model', async () => {
  await forge(["UPDATE usage SET created_at = created_at - interval '61 minutes'"]);
  expect(await readMetrics()).not.toContain('svc_overrun_credits_last_hour{');
  const [first, second] = [await newOverrun(), await newOverrun()];
  const credits = Number(first.overrun + second.overrun) / 1e6;
  expect(await readMetrics()).toContain(`svc_overrun_credits_last_hour{model="chatty/chatty"} ${credits}\n`);
});

test('operators and metrics see the calls that nobody was charged for, by reason', async () => {
  const person = await newPerson({ credits: 100, rateBp: 0 });
  upstream.script('chatty', { status: 200, body: '{"choices": ' });
  expect((await generate(person)).status).toBe(502);
  upstream.script('chatty', { body: { ...(body as object), usage: LONG_PROMPT } });
  const [loss, ...others] = (await readOverruns(today(), 20)).losses;
  expect(others).toEqual([]);
  expect(loss).toMatchObject({ reason: 'unreadable_response', requests: 1, estimated: loss?.cost });
  const credits = Number(loss?.cost) / 1e6;
  expect(credits).toBeGreaterThan(0);
  expect(await readMetrics()).toContain(
    `svc_provider_loss_credits_last_hour{reason="unreadable_response"} ${credits}\n`,
  );
});

test('operators see overruns by day, model, app and user, with their requests', async () => {
  await forge(["UPDATE usage SET created_at = created_at - interval '8 days'"]);
  await prisma().providerLoss.deleteMany();
  expect(await readOverruns(today(), 5)).toEqual({
    total: { requests: 0, overrun: 0n },
    days: [],
    models: [],
    apps: [],
    users: [],
    losses: [],
    latest: [],
  });

  const { person, requestId, overrun } = await newOverrun();
  const { total, days, models, apps, users, latest } = await readOverruns(today(), 5);
  const sums = { requests: 1, overrun };
  expect(total).toEqual(sums);
  expect(days).toEqual([{ day: expect.any(String), model: 'chatty/chatty', overrun }]);
  expect(models).toEqual([{ model: 'chatty/chatty', ...sums }]);
  expect(apps).toEqual([{ partnerId: person.partnerId, name: 'Test app', ...sums }]);
  const { email } = await prisma().user.findUniqueOrThrow({ where: { id: person.userId } });
  expect(users).toEqual([{ userRef: expect.any(String), email, ...sums }]);
  expect(latest).toMatchObject([
    { requestId, appName: 'Test app', held: 10_000_000n - overrun, cost: 10_000_000n },
  ]);
  for (const { userRef } of [...users, ...latest])
    expect((await findUserByRef(userRef))?.id).toBe(person.userId);
});

test('the page and the metrics find overruns by their index', async () => {
  const client = await pool().connect();
  try {
    await client.query('SET enable_seqscan = off; SET enable_bitmapscan = off');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN SELECT model, sum(provider_cost - charge) FROM usage
       WHERE provider_cost > charge + 1 AND created_at > now() - interval '1 hour' GROUP BY 1`,
    );
    expect(JSON.stringify(rows)).toContain('ledger_transaction_overrun');
  } finally {
    client.release(true);
  }
});

test('a user whose overruns pass the limit gets 403 without a retry until an operator resumes them', async () => {
  const { person } = await newOverrun();
  expect(await statusOf(person)).toBe('ok');
  expect((await generate(person)).status).toBe(200);
  expect(logged.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ level: 50, paused: 'user' }),
  );

  const calls = upstream.seen('chatty').length;
  const refused = await generate(person);
  expect(refused.status).toBe(403);
  expect(refused.headers.get('x-should-retry')).toBe('false');
  expect((await refused.json()).error).toMatchObject({ type: 'paused_for_review', code: '403' });
  expect(upstream.seen('chatty')).toHaveLength(calls);
  expect(await statusOf(person)).toBe('paused_for_review');

  expect(await listPaused()).toMatchObject([{ kind: 'user', overrun: expect.any(BigInt) }]);
  expect((await readServiceState()).paused).toBe(1);
  expect(await readMetrics()).toContain('svc_paused_for_review{kind="user"} 1\n');

  await resumeUserAs('boss@example.com', person.userId, 'a new model, its price is fixed');
  await expect(resumeUserAs('boss@example.com', person.userId, 'again')).rejects.toThrow('is not paused');
  expect(await listPaused()).toEqual([]);
  expect(await readMetrics()).toContain('svc_paused_for_review{kind="user"} 0\n');
  expect(await statusOf(person)).toBe('ok');
  expect((await generate(person)).status).toBe(200);
});

test('an app whose overruns pass the limit is refused for all its users until an operator resumes it', async () => {
  const { person } = await newOverrun();
  await pool().query('UPDATE partner SET overrun = 30000000 WHERE id = $1', [person.partnerId]);
  expect((await generate(person)).status).toBe(200);
  // The user is paused too, and resumed first: the app's pause remains.
  await resumeUserAs('boss@example.com', person.userId, 'not their fault');

  const refused = await generate(person);
  expect([refused.status, (await refused.json()).error.type]).toEqual([403, 'paused_for_review']);
  expect(await statusOf(person)).toBe('paused_for_review');
  expect(await listPaused()).toMatchObject([{ kind: 'app', partnerId: person.partnerId, name: 'Test app' }]);
  expect(await readMetrics()).toContain('svc_paused_for_review{kind="app"} 1\n');

  const change = { operator: 'boss@example.com', partnerId: person.partnerId, reason: 'price fixed' };
  await changePartner({ ...change, change: { do: 'resume' } });
  await expect(changePartner({ ...change, change: { do: 'resume' } })).rejects.toThrow('is not paused');
  expect((await generate(person)).status).toBe(200);
});
