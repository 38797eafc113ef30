import { expect, test } from 'vitest';
import { runningGenerations } from '@/server/generation/run';
import { startApi } from '../harness/api-server';
import { newDatabase } from '../harness/database';
import { newPerson } from '../harness/people';
import { until } from '../harness/until';

process.env.LIMIT_RUNNING_PER_PROCESS = '4';
await newDatabase();
const api = await startApi({ trustedProxies: ['127.0.0.1'] });

/** Starts a stream that does not end, with a key and from an address of its own. */
async function start(address: string, signal: AbortSignal): Promise<{ status: number; type?: string }> {
  const { userKey } = await newPerson({ credits: 100 });
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
