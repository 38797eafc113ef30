import { expect, test } from 'vitest';
import { MINUTE_MS, setClock } from '@/server/base/clock';
import { ledgerPool, pool } from '@/server/base/db';
import { auditRecent } from '@/server/ledger/audit';
import { newDatabase } from '../../harness';
import { startApi } from '../../harness/api-server';
import { newPerson } from '../../harness/people';

const TOKEN = 'a token of the metrics tests';
process.env.METRICS_TOKEN = TOKEN;
await newDatabase();
const { url } = await startApi();
const read = async (token?: string) => {
  const response = await fetch(
    `${url}/metrics`,
    token ? { headers: { authorization: `Bearer ${token}` } } : {},
  );
  return { status: response.status, text: await response.text(), type: response.headers.get('content-type') };
};

test.each([undefined, 'another token of the tests'])('metrics return 404 for the token %s', async (token) => {
  expect((await read(token)).status).toBe(404);
});

test('metrics report open holds and the outcomes of requests', async () => {
  const { userKey } = await newPerson({ credits: 100 });
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}` },
    body: JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  expect(response.status).toBe(200);
  const metrics = await read(TOKEN);
  expect(metrics).toMatchObject({ status: 200, type: expect.stringContaining('text/plain') });
  expect(metrics.text).toContain('svc_holds_open 0\n');
  expect(metrics.text).toContain('svc_requests_last_hour{outcome="completed"} 1\n');
});

test('metrics report a ledger difference for an hour', async () => {
  const { userId } = await newPerson({ credits: 100 });
  await auditRecent(0);
  expect((await read(TOKEN)).text).toContain('svc_ledger_differences 0\n');
  await pool().query('UPDATE wallet SET money = money + 3 WHERE user_id = $1', [userId]);
  await auditRecent(0);
  expect((await read(TOKEN)).text).toContain('svc_ledger_differences 1\n');
  await pool().query('UPDATE wallet SET money = money - 3 WHERE user_id = $1', [userId]);
  await auditRecent(0);
  expect((await read(TOKEN)).text).toContain('svc_ledger_differences 1\n');
  await pool().query("UPDATE audit_run SET at = at - interval '1 hour'");
  expect((await read(TOKEN)).text).toContain('svc_ledger_differences 0\n');
});

test('metrics count what this instance did, by provider and outcome', async () => {
  const { userKey } = await newPerson({ credits: 100 });
  const send = (model: string) =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${userKey}` },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    }).then((response) => response.arrayBuffer());
  await send('sandbox/echo');
  await send('sandbox/error-400');
  await send('sandbox/unknown');
  const { text } = await read(TOKEN);
  for (const line of [
    /^svc_generation_start_seconds_count\{streamed="false"\} \d+$/m,
    /^svc_generations_total\{outcome="completed"\} \d+$/m,
    /^svc_generations_total\{outcome="failed"\} 1$/m,
    /^svc_provider_attempts_total\{provider="sandbox",outcome="ok"\} \d+$/m,
    /^svc_provider_attempts_total\{provider="sandbox",outcome="request"\} 1$/m,
    /^svc_provider_response_seconds_count\{provider="sandbox"\} \d+$/m,
    /^svc_errors_total\{code="model_not_found"\} 1$/m,
    /^svc_ledger_batch_seconds_count \d+$/m,
    /^svc_database_connections\{pool="ledger",state="open"\} \d+$/m,
    /^svc_ready\{check="database"\} 1$/m,
    /^svc_generations_running 0$/m,
    /^svc_build_info\{version="[\d.]+",node="v[\d.]+"\} 1$/m,
    /^nodejs_eventloop_lag_seconds /m,
    /^process_resident_memory_bytes /m,
  ])
    expect(text).toMatch(line);
  expect(text).not.toContain(userKey);
});

test('metrics of the instance are served while the database does not answer', async () => {
  const { max = 0 } = pool().options;
  const held = await Promise.all([
    ...Array.from({ length: max }, () => pool().connect()),
    ledgerPool().connect(),
    ledgerPool().connect(),
  ]);
  const { status, text } = await read(TOKEN);
  for (const connection of held) connection.release();
  expect(status).toBe(200);
  expect(text).toMatch(/^svc_database_up 0$/m);
  expect(text).toMatch(/^svc_generations_total\{outcome="completed"\} \d+$/m);
  expect(text).not.toContain('svc_holds_open');
  expect((await read(TOKEN)).text).toMatch(/^svc_database_up 1$/m);
});

test('a clock that is ahead of the database’s is measured', async () => {
  const lead = async () => Number(/^svc_clock_lead_seconds (\S+)$/m.exec((await read(TOKEN)).text)?.[1]);
  expect(Math.abs(await lead())).toBeLessThan(5);
  setClock(() => Date.now() + 10 * MINUTE_MS);
  const ahead = await lead();
  setClock();
  expect(ahead).toBeGreaterThan(595);
  expect(ahead).toBeLessThan(605);
});
