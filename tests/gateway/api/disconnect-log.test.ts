import { type ClientRequest, request } from 'node:http';
import { afterAll, expect, test, vi } from 'vitest';
import { bodyBytes } from '@/server/base/http/body-bytes';
import { apiErrors, generations, providerAttempts } from '@/server/base/measures';
import { runningGenerations } from '@/server/gateway/run/run';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';
import { until } from '../../harness/until';

/** A client that disconnects is no failure of a provider or of the database, in the log or in the metrics. */

process.env.OPENAI_API_KEY = '';
await newDatabase();
const { url } = await startApi();

const lines: string[] = [];
const stdout = vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
afterAll(() => stdout.mockRestore());

async function send(body: string, length = body.length): Promise<ClientRequest> {
  const { userKey } = await newPerson({ credits: 10 });
  const sent = request(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}`, 'content-length': length },
  });
  sent.on('error', () => {});
  sent.write(body);
  return sent;
}

const values = (measure: { get: () => { values: { value: number; labels: object }[] } }) =>
  measure.get().values.map(({ labels, value }) => ({ ...labels, value }));

test('a client that leaves a silent provider is not logged as its failure', async () => {
  const messages = [{ role: 'user', content: 'hello' }];
  const sent = await send(JSON.stringify({ model: 'sandbox/slow', stream: true, messages }));
  await until(
    async () => runningGenerations(),
    (running) => running === 1,
  );
  sent.destroy();
  await until(
    async () => runningGenerations(),
    (running) => running === 0,
  );
  await until(
    async () => values(generations),
    (counts) => counts.length > 0,
  );
  expect(values(generations)).toEqual([{ outcome: 'aborted', value: 1 }]);
  expect(values(providerAttempts)).toEqual([{ provider: 'sandbox', outcome: 'disconnected', value: 1 }]);
  expect(values(apiErrors)).toEqual([]);
  expect(lines).toEqual([]);
});

test.each([
  ['small', 100],
  ['large', 1_000_000],
])('a client that disconnects during a %s upload is not logged as a busy database', async (_, length) => {
  const sent = await send('{"model":', length);
  await until(
    async () => bodyBytes(),
    (bytes) => bytes > 0,
  );
  sent.destroy();
  await until(
    async () => bodyBytes(),
    (bytes) => bytes === 0,
  );
  expect((await fetch(`${url}/v1/nothing`)).status).toBe(404);
  expect(values(apiErrors)).toEqual([expect.objectContaining({ code: 'not_found' })]);
  expect(lines).toEqual([]);
});
