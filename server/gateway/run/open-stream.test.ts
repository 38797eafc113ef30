import { expect, test } from 'vitest';
import { newFacts, type StreamRelay } from '../providers/stream-relay';
import { openStream } from './open-stream';
import type { UpstreamResponse } from './upstream-response';

test.each([
  ['said that it ends', true],
  ['goes on', false],
])('a response that %s and whose rest cannot be read has failed', async (_, ended) => {
  const facts = { ...newFacts(), started: true, ended };
  let ends = 0;
  const end = () => {
    if (++ends === 1) throw new RangeError('too deep');
    return 'the second half';
  };
  const relay = { push: String, end, facts } as unknown as StreamRelay & { facts: typeof facts };
  const pieces = ['Hi', null];
  const upstream = { read: async () => pieces.shift(), cancel() {} } as unknown as UpstreamResponse;
  const { next } = await openStream(relay, upstream);
  expect(await next()).toEqual({ text: 'Hi', done: false });
  expect(await next()).toEqual({ text: '', done: true });
  expect(facts.failure).toMatchObject({ kind: 'unavailable' });
});
