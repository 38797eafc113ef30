import { expect, test } from 'vitest';
import { pool } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { runningGenerations } from '@/server/gateway/run/run';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';
import { until } from '../../harness/until';

process.env.LIMIT_RUNNING_PER_PROCESS = '4';
await newDatabase();
const api = await startApi({ trustedProxies: ['127.0.0.1'] });

type Started = { status: number; type?: string };

/** Starts a stream that does not end, with a key and from an address of its own. */
async function start(address: string, signal: AbortSignal): Promise<Started> {
  return startAs(await newPerson({ credits: 100 }), address, signal);
}

async function startAs(
  { userKey }: { userKey: string },
  address: string,
  signal: AbortSignal,
): Promise<Started> {
  const response = await fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${userKey}`,
      'content-type': 'application/json',
      'x-forwarded-for': address,
    },
    body: JSON.stringify({
      model: 'sandbox/stall',
      stream: true,
      max_tokens: 50,
      messages: [{ role: 'user', content: 'hi' }],
    }),
    signal,
  });
  const { status } = response;
  return status === 200 ? { status } : { status, type: (await response.json()).error.type };
}

test.each([
  ['an IPv4 address', ['192.0.2.1', '192.0.2.1', '192.0.2.1'], '192.0.2.2'],
  ['an IPv6 /64', ['2001:db8::1', '2001:db8::2', '2001:db8:0:0:9::1'], '2001:db8:0:1::1'],
])(
  '%s runs at most half of the requests of a process, and leaves the rest to others',
  async (_, same, other) => {
    const controller = new AbortController();
    const [first = '', second = '', third = ''] = same;
    for (const address of [first, second])
      expect(await start(address, controller.signal)).toEqual({ status: 200 });
    expect(await start(third, controller.signal)).toEqual({ status: 429, type: 'rate_limited' });
    expect(await start(other, controller.signal)).toEqual({ status: 200 });

    controller.abort();
    await until(
      async () => runningGenerations(),
      (running) => running === 0,
    );
    const again = new AbortController();
    expect(await start(third, again.signal)).toEqual({ status: 200 });
    again.abort();
    await until(
      async () => runningGenerations(),
      (running) => running === 0,
    );
  },
);

const eachItsOwn = (n: number): string => `192.0.2.${n}`;
const OVERLOADED = { status: 503, type: 'overloaded' };

test.each<[string, (n: number) => string, number, Started, object?]>([
  ['the share of their network', () => '192.0.2.1', 2, { status: 429, type: 'rate_limited' }],
  ['the limit of the process', eachItsOwn, 4, OVERLOADED],
  ['the limit of the provider', eachItsOwn, 3, OVERLOADED, { LIMIT_RUNNING_PER_PROVIDER: 3 }],
])('no more requests than %s run when many arrive at the same time', async (...given) => {
  const [, addressOf, most, refusal, limits = {}] = given;
  const before = { ...settings() };
  Object.assign(settings(), limits);
  const people = [];
  for (let n = 0; n < 12; n++) people.push(await newPerson({ credits: 100 }));
  const controller = new AbortController();
  const started = await Promise.all(
    people.map((person, n) => startAs(person, addressOf(n), controller.signal)),
  );
  const refused = started.filter(({ status }) => status !== 200);
  expect(refused).toEqual(Array.from({ length: people.length - most }, () => refusal));

  controller.abort();
  await until(
    async () => runningGenerations(),
    (running) => running === 0,
  );
  const { rows } = await pool().query('SELECT count(*)::int AS held FROM hold');
  expect(rows).toEqual([{ held: 0 }]);
  Object.assign(settings(), before);
});
