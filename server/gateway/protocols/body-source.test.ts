import { expect, test } from 'vitest';
import { seededRandom } from '../../../tests/harness/random';
import { JsonScan } from '../../base/scan-json';
import { type BodySource, countNames, readSource, writeFrom } from './body-source';
import type { Json } from './neutral';

/** What is read of JSON that arrives in chunks. */
function sourceOf(text: string, chunkBytes = 7): { json: Json; source: BodySource | null } {
  const bytes = Buffer.from(text);
  const scan = new JsonScan();
  for (let at = 0; at < bytes.length; at += chunkBytes) scan.add(bytes.subarray(at, at + chunkBytes));
  const json = JSON.parse(text.replace(/^\uFEFF/, '')) as Json;
  return { json, source: readSource(json, countNames(json), { bytes, outline: scan.outline() }) };
}

async function write(text: string, change: (json: Json) => Json, isLarge = false): Promise<string> {
  const { json, source } = sourceOf(text);
  if (source === null) throw new Error('no source');
  return Buffer.concat(await writeFrom(source, change(json), isLarge)).toString();
}

const LONG = 'x'.repeat(300);

test('what is unchanged is written as the client wrote it, with its blanks', async () => {
  const text = `{ "messages" : [ {"id": 1234567890123456, "text": "${LONG}"} , {"at":1} ], "top_p": 1.0 }`;
  expect(await write(text, (json) => json)).toContain(`{"id": 1234567890123456, "text": "${LONG}"}`);
  expect(await write(text, ({ messages }) => ({ model: 'm', messages }))).toBe(
    `{"model":"m","messages": [ {"id": 1234567890123456, "text": "${LONG}"} , {"at":1} ]}`,
  );
});

test.each(['1.0', '1.50', '1e0', '1E2', '-0', `1${'0'.repeat(63)}`, '999999999999999999999', '0.00000001'])(
  'a list with %s is written as it is measured, which may be shorter @attack',
  async (number) => {
    const text = `{"tools":[{"text":"${LONG}"},{"enum":[true,${number}]}],"top_p":1.0,"input":["${LONG}"]}`;
    const written = await write(text, (json) => json);
    expect(written).toBe(JSON.stringify(JSON.parse(text)).replace('"top_p":1', '"top_p":1.0'));
  },
);

test('only the item with an odd number is written again', async () => {
  const text = `{"tools":[{ "text":"${LONG}" },{ "at":1.0 },{ "text":"${LONG}" }]}`;
  expect(await write(text, (json) => json)).toBe(
    `{"tools":[{ "text":"${LONG}" },{"at":1},{ "text":"${LONG}" }]}`,
  );
});

test.each([
  ['in the outermost object', '{"messages":[],"messages":[{}]}'],
  ['in a message', '{"messages":[{"content":"short","content":"long"}]}'],
  ['written with an escape', '{"messages":[{"content":"short","\\u0063ontent":"long"}]}'],
  ['deep in the arguments of a call', '{"a":[{"b":{"c":{"d":1,"d":2}}}]}'],
])(
  'JSON with a name twice %s is not sent on, because a provider may read the other value @attack',
  (_, text) => {
    expect(sourceOf(text).source).toBeNull();
  },
);

test.each([
  ['of the request', '{"__proto__":{"tools":[{"name":"f"}]}}'],
  ['of a part, written with an escape', '{"messages":[{"content":[{"\\u005f_proto__":{"text":"long"}}]}]}'],
])('a prototype %s is refused, because its fields are neither validated nor measured @attack', (_, text) => {
  expect(() => sourceOf(text)).toThrow('a field named "__proto__"');
});

test('whatever is changed, the same JSON is written as without the source @attack', async () => {
  const random = seededRandom();
  const below = (limit: number) => Math.floor(random() * limit);
  const TEXTS = ['', 'a', 'é"\\', '🦉\n'.repeat(90), LONG, '{"a":[', ']},:'];
  const value = (depth: number): unknown => {
    const kind = below(depth > 3 ? 4 : 6);
    if (kind === 0) return below(1_000);
    if (kind === 1) return null;
    if (kind < 4) return TEXTS[below(TEXTS.length)];
    const inner = Array.from({ length: below(5) }, () => value(depth + 1));
    if (kind === 4) return inner;
    return Object.fromEntries(inner.map((each, index) => [`${TEXTS[below(4)]}${index}`, each]));
  };
  const change = (given: unknown): unknown => {
    if (below(4) === 0) return value(2);
    if (!Array.isArray(given)) return given;
    const kept = given
      .filter(() => below(5) > 0)
      .flatMap((each) => (below(6) === 0 ? [value(2), each] : [each]));
    return below(4) === 0 ? kept.reverse() : kept;
  };
  for (let round = 0; round < 2_000; round++) {
    const names = ['messages', 'tools', 'a"b', '', 'input'].slice(below(3), 2 + below(4));
    const given = Object.fromEntries(
      names.map((name) => [name, below(3) > 0 ? Array.from({ length: below(8) }, () => value(1)) : value(0)]),
    );
    const text = `${below(9) === 0 ? '\uFEFF' : ''}${JSON.stringify(given, null, below(3))}`;
    const { json, source } = sourceOf(text, 1 + below(400));
    if (source === null) throw new Error(text);
    const body = Object.fromEntries(Object.entries(json).map(([name, own]) => [name, change(own)]));
    if (below(3) === 0) body.added = value(0);
    if (below(3) === 0) body.left = undefined;
    const written = Buffer.concat(await writeFrom(source, body, below(2) === 0)).toString();
    expect(JSON.parse(written), text).toEqual(JSON.parse(JSON.stringify(body)));
  }
});
