import { expect, test } from 'vitest';
import { pool } from '@/server/db';
import { auditRecent } from '@/server/ledger/audit';
import { newDatabase } from '../harness';
import { startApi } from '../harness/api-server';
import { newPerson } from '../harness/people';

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
