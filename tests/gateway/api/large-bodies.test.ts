import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { startApi } from '../../harness/api-server';
import { configureProviders, modelOf } from '../../harness/custom-providers';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';

/** The service runs in one event loop, so no step of a request may take long: neither parsing it nor writing it. */

let received: { headers: NodeJS.Dict<string | string[]>; bytes: Buffer } | undefined;
const upstream = createServer(async (request, response) => {
  received = { headers: request.headers, bytes: Buffer.concat(await request.toArray()) };
  const usage = { prompt_tokens: 1, completion_tokens: 1, input_tokens: 1, output_tokens: 1 };
  const content = [{ type: 'text', text: 'Hi' }];
  const message = { role: 'assistant', content: 'Hi' };
  response.end(
    JSON.stringify({
      choices: [{ message, finish_reason: 'stop' }],
      content,
      stop_reason: 'end_turn',
      usage,
    }),
  );
});
await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
afterAll(() => upstream.close());
configureProviders(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`, [
  { provider: 'chatty', format: 'openai' },
  { provider: 'terse', format: 'anthropic' },
]);
await newDatabase();
const api = await startApi();

afterEach(() => vi.restoreAllMocks());

/** The longest text that is parsed or written at once from here on. */
function watchLongest(): () => number {
  let longest = 0;
  const { parse, stringify } = JSON;
  vi.spyOn(JSON, 'parse').mockImplementation((text, ...rest) => {
    longest = Math.max(longest, text.length);
    return parse(text, ...rest);
  });
  vi.spyOn(JSON, 'stringify').mockImplementation((...given: Parameters<typeof stringify>) => {
    const text = stringify(...given);
    longest = Math.max(longest, text?.length ?? 0);
    return text;
  });
  return () => longest;
}

const MB = 1024 * 1024;
const png = `iVBORw0KGgo${'A'.repeat(100)}`;
const image = (bytes: number) => ({
  type: 'image_url',
  image_url: { url: `data:image/png;base64,${png}${'Ab+/'.repeat(bytes / 4)}` },
});
const text = (unit: string, bytes: number) => unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));

test.each<[string, string, unknown]>([
  ['one image', 'chatty', [image(24 * MB)]],
  ['a hundred images', 'chatty', Array.from({ length: 100 }, () => image(240_000))],
  ['text', 'chatty', text('The quick brown fox. ', 20 * MB)],
  ['text with escapes and other scripts', 'chatty', text('"Größe"\n漢字\u2028🦉\\', 16 * MB)],
  ['text for a provider of the other format', 'terse', text('"Größe"\n漢字\u2028🦉\\', 16 * MB)],
  [
    'short parts',
    'chatty',
    Array.from({ length: 12_000 }, () => ({ type: 'text', text: 'line\n'.repeat(300) })),
  ],
])(
  '%s of megabytes: parsed and written in small steps, without a change',
  { timeout: 60_000 },
  async (_, provider, content) => {
    const { userKey } = await newPerson({ credits: 10_000 });
    const body = { model: modelOf(provider), max_tokens: 5, messages: [{ role: 'user', content }] };
    const bytes = Buffer.from(JSON.stringify(body));
    const longest = watchLongest();
    const response = await fetch(`${api.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${userKey}`, 'content-type': 'application/json' },
      body: bytes,
    });
    expect([response.status, longest() < 4 * MB]).toEqual([200, true]);
    vi.restoreAllMocks();

    const sent = received?.bytes.toString() ?? '';
    const { messages } = JSON.parse(sent) as { messages: [{ content: unknown }] };
    expect(received?.headers).toMatchObject({ 'content-length': String(received?.bytes.length) });
    expect(sent === JSON.stringify(JSON.parse(sent))).toBe(true);
    const [part] = messages[0].content as [{ text: string }];
    const isSame =
      provider === 'terse'
        ? part.text === content
        : JSON.stringify(messages[0].content) === JSON.stringify(content);
    expect(isSame).toBe(true);
  },
);

test.each<[string, unknown]>([
  ['short texts', Array(60_000).fill('a few words '.repeat(25))],
  [
    'objects',
    Array(20).fill(Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`k${i}`, text('w', 500)]))),
  ],
])('arguments of megabytes in %s: parsed and written in small steps, unchanged @attack', async (_, list) => {
  const { userKey } = await newPerson({ credits: 10_000 });
  const input = { list };
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'f', input }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'done' }] },
  ];
  const bytes = Buffer.from(JSON.stringify({ model: modelOf('terse'), max_tokens: 5, messages }));
  const longest = watchLongest();
  const response = await fetch(`${api.url}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}`, 'content-type': 'application/json' },
    body: bytes,
  });
  // The parser reads the values without their long strings.
  expect([response.status, longest() < 4 * MB]).toEqual([200, true]);
  vi.restoreAllMocks();
  const sent = JSON.parse(received?.bytes.toString() ?? '') as { messages: unknown[] };
  expect(JSON.stringify(sent.messages) === JSON.stringify(messages)).toBe(true);
});
