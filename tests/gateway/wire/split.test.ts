import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CHAT, exchange, frameEvents, MESSAGES, relay } from './exchange-harness';
import { CHAT_FIXTURES, MESSAGES_FIXTURES } from './fixtures';

/** Wherever the network splits a stream, the client receives the same bytes. */

const streams = [
  ...Object.entries(CHAT_FIXTURES).map(([name, { provider, events, done }]) => ({
    name,
    provider,
    events,
    done: done ?? false,
  })),
  ...Object.entries(MESSAGES_FIXTURES).map(([name, { events }]) => ({
    name,
    provider: 'anthropic',
    events,
    done: false,
  })),
];
const lineEnds = ['\n', '\r\n', '\r'] as const;

describe.each(['chat', 'messages'] as const)('for a client of the %s format', (format) => {
  const request =
    format === 'chat'
      ? { ...CHAT, stream: true, stream_options: { include_usage: true } }
      : { ...MESSAGES, stream: true };

  test.each(streams)('$name', ({ provider, events, done }) => {
    const whole = relay(exchange(format, request, { provider }), frameEvents(events, { done }));
    const property = fc.property(
      fc.constantFrom(...lineEnds),
      fc.boolean(),
      fc.infiniteStream(fc.nat({ max: 120 })),
      (lineEnd, lastBlankLine, sizes) => {
        const bytes = frameEvents(events, { done, lineEnd, lastBlankLine, names: provider === 'anthropic' });
        const splits: number[] = [];
        for (let at = 0; at < bytes.length && splits.length < 5_000; ) {
          at += Number(sizes.next().value);
          splits.push(Math.min(at, bytes.length));
        }
        const { text, facts } = relay(exchange(format, request, { provider }), bytes, splits);
        expect({ text, facts }).toEqual({ text: whole.text, facts: whole.facts });
      },
    );
    fc.assert(property, { numRuns: 25 });
  });
});

test('one byte at a time', () => {
  const { events } = CHAT_FIXTURES['OpenAI: role chunk, obfuscation, usage chunk apart'] ?? { events: [] };
  for (const lineEnd of lineEnds) {
    const bytes = frameEvents(events, { done: true, lineEnd });
    const whole = relay(exchange('messages', { ...MESSAGES, stream: true }), bytes);
    const splits = Array.from(bytes.keys());
    expect(relay(exchange('messages', { ...MESSAGES, stream: true }), bytes, splits)).toEqual(whole);
    expect(whole.text).toContain('Hi 🌍');
  }
});
