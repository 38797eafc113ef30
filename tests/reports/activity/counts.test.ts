import { afterEach, expect, test } from 'vitest';
import { DAY_MS, setClock } from '@/server/base/clock';
import { pool } from '@/server/base/db';
import { countRefusal } from '@/server/gateway/counts/refusal-counts';
import { providersInCooldown } from '@/server/gateway/run/circuit-breaker';
import { forgetOldCounts, KEEP_COUNTS_MS, writeCounts } from '@/server/reports/activity/keep';
import { readErrorDays } from '@/server/reports/activity/partner-activity';
import { startApi } from '../../harness/api-server';
import { configureProviders, modelOf } from '../../harness/custom-providers';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';
import { completion } from '../../harness/scripted-responses';
import { startScriptedUpstream } from '../../harness/scripted-upstream';

await newDatabase();
const upstream = await startScriptedUpstream();
configureProviders(upstream.url, [{ provider: 'alone', format: 'openai' }]);
const api = await startApi();
const person = await newPerson({ credits: 100 });
const poor = await newPerson();
afterEach(() => setClock());

const send = (key: string, model: string): Promise<Response> =>
  fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
  });

async function readCounts(): Promise<[string, string, bigint][]> {
  const { rows } = await pool().query<{ partner_id: string; code: string; count: bigint }>(
    'SELECT partner_id, code, sum(count)::bigint AS count FROM refusal_hour GROUP BY 1, 2 ORDER BY 2',
  );
  return rows.map(({ partner_id, code, count }) => [partner_id, code, count]);
}

test('refused and failed requests are counted by app and code; successful ones are not', async () => {
  upstream.script('alone', { status: 400, body: { error: { message: 'no' } } });
  await send(poor.userKey, 'sandbox/echo');
  await send(poor.userKey, 'sandbox/echo');
  await send(person.userKey, 'sandbox/none');
  await send(person.userKey, modelOf('alone'));
  await send('svc_sk_nobody', 'sandbox/echo');
  expect((await send(person.userKey, 'sandbox/echo')).status).toBe(200);
  expect(await readCounts()).toEqual([]);

  await writeCounts([]);
  const expected = [
    [poor.partnerId, 'insufficient_credits', 2n],
    [person.partnerId, 'invalid_request', 1n],
    ['', 'invalid_user_key', 1n],
    [person.partnerId, 'model_not_found', 1n],
  ];
  expect(await readCounts()).toEqual(expected);
  await writeCounts([]);
  expect(await readCounts()).toEqual(expected);
});

test('the id of the first request that failed is kept with the count', async () => {
  const late = await newPerson();
  const at = Date.now();
  setClock(() => at);
  const first = await send(late.userKey, 'sandbox/echo');
  await send(late.userKey, 'sandbox/echo');
  await writeCounts([]);
  await send(late.userKey, 'sandbox/echo');
  await writeCounts([]);
  const firstRequestId = first.headers.get('x-request-id');
  const [day = '', next = ''] = [at, at + DAY_MS].map((ms) => new Date(ms).toISOString().slice(0, 10));
  expect(await readErrorDays(late.partnerId, { from: day, to: next })).toEqual([
    { day, code: 'insufficient_credits', count: 3, firstRequestId },
  ]);
});

test('a count that could not be written is written with the next ones', async () => {
  await pool().query('ALTER TABLE refusal_hour RENAME TO elsewhere');
  countRefusal(new Error('a bug'), null, 'req_bug');
  await expect(writeCounts([])).rejects.toThrow('refusal_hour');
  await pool().query('ALTER TABLE elsewhere RENAME TO refusal_hour');
  await writeCounts([]);
  expect(await readCounts()).toContainEqual(['', 'internal_error', 1n]);
});

test('failures of a provider are counted, and its cooldown is shown until it works again', async () => {
  await pool().query('TRUNCATE provider_failure_hour');
  const begin = Date.now();
  setClock(() => begin);
  upstream.script('alone', { status: 401, body: { error: { message: 'bad key' } } });
  for (let i = 0; i < 5; i++) await send(person.userKey, modelOf('alone'));
  await writeCounts(providersInCooldown());
  const failures = await pool().query('SELECT provider, kind, status, count FROM provider_failure_hour');
  expect(failures.rows).toEqual([{ provider: 'alone', kind: 'account', status: 401, count: 5n }]);
  const cooldowns = async () =>
    (await pool().query('SELECT provider, failures, cooldown_until FROM provider_cooldown')).rows;
  expect(await cooldowns()).toEqual([
    { provider: 'alone', failures: 5, cooldown_until: new Date(begin + 15_000) },
  ]);

  setClock(() => begin + 15_000);
  upstream.script('alone', completion({ content: 'Hello' }));
  expect((await send(person.userKey, modelOf('alone'))).status).toBe(200);
  await writeCounts(providersInCooldown());
  expect(await cooldowns()).toEqual([]);
});

test('counts are kept for more than a year, then deleted', async () => {
  const kept = await readCounts();
  expect(kept).not.toEqual([]);
  const begin = Date.now();
  setClock(() => begin + KEEP_COUNTS_MS - 60_000);
  await forgetOldCounts();
  expect(await readCounts()).toEqual(kept);
  setClock(() => begin + KEEP_COUNTS_MS + 2 * 3_600_000);
  await forgetOldCounts();
  expect(await readCounts()).toEqual([]);
});
