import { expect, test } from 'vitest';
import { readEvents } from './event-stream';

function startReading() {
  const events: string[] = [];
  const reader = readEvents({ event: (data) => events.push(data), skim: (_, from) => from });
  return { reader, events };
}

const read = (...pieces: string[]): string[] => {
  const { reader, events } = startReading();
  for (const piece of pieces) reader.push(Buffer.from(piece));
  reader.end();
  return events;
};

test.each([
  ['LF', ['data: a\n\ndata: b\n\n']],
  ['CRLF', ['data: a\r\n\r\ndata: b\r\n\r\n']],
  ['CR', ['data: a\r\rdata: b\r\r']],
  ['CRLF split between reads', ['data: a\r', '\n\r', '\ndata: b\r\n', '\r\n']],
  ['mixed line ends', ['data: a\r\n\ndata: b\n\r\n']],
  ['no space after the colon', ['data:a\n\ndata:b\n\n']],
  ['a byte order mark', ['\uFEFFdata: a\n\ndata: b\n\n']],
  [
    'comments, names, ids and retry',
    [': OPENROUTER PROCESSING\n\nevent: x\nid: 1\nretry: 5\ndata: a\n\nevent: y\n\ndata: b\n\n'],
  ],
  ['no blank line at the end', ['data: a\n\ndata: b']],
  ['blank lines in front', ['\n\n\ndata: a\n\n\n\ndata: b\n\n']],
])('reads %s', (_, pieces) => {
  expect(read(...pieces)).toEqual(['a', 'b']);
});

test('joins several data lines with a line feed', () => {
  expect(read('data: {"a":\ndata: 1}\n\n')).toEqual(['{"a":\n1}']);
});

test('keeps characters whole that are split between reads', () => {
  const bytes = Buffer.from('data: Zürich 世界 🌍\n\n');
  const { reader, events } = startReading();
  for (const byte of bytes) reader.push(Uint8Array.of(byte));
  expect(events).toEqual(['Zürich 世界 🌍']);
});

test('returns a body that is not an event stream as a whole', () => {
  expect(read('  {"a":', '\n\n1}')).toEqual(['{"a":\n\n1}']);
});

test('refuses an event of more than 20 MB', () => {
  const { reader, events } = startReading();
  const megabyte = Buffer.from('x'.repeat(1024 * 1024));
  reader.push(Buffer.from('data: '));
  for (let count = 0; count < 21; count++) reader.push(megabyte);
  expect(reader.failure).toContain('too large');
  reader.push(Buffer.from('\n\ndata: a\n\n'));
  expect(events).toEqual([]);
});

test.each([
  ['lines in an event', 'data: a\n'.repeat(2_000_000)],
  ['empty lines in an event', 'data\n'.repeat(3_000_000)],
])('refuses too many %s, in linear time and memory', (_, lines) => {
  const { reader, events } = startReading();
  const chunk = Buffer.from(lines);
  for (let at = 0; at < chunk.length; at += 65_536) reader.push(chunk.subarray(at, at + 65_536));
  reader.push(Buffer.from('\ndata: b\n\n'));
  expect(reader.failure).toBe('an event of the provider has too many lines');
  expect(events).toEqual([]);
});

test('joins the lines of an event that has as many as a long JSON with a line for each value', () => {
  const lines = Array.from({ length: 50_000 }, (_, n) => String(n));
  expect(read(`${lines.map((line) => `data: ${line}\r\n`).join('')}\r\n`)).toEqual([lines.join('\n')]);
});
