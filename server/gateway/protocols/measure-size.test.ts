import { describe, expect, test, vi } from 'vitest';
import { measureDocuments, measureInput } from './measure-size';

const LETTERS = 40_000;
const long = 'x'.repeat(LETTERS);
const numbers = Array.from({ length: LETTERS / 4 }, (_, index) => 1_000 + (index % 1_000));
const measureAll = async (...given: Parameters<typeof measureInput>) =>
  (await measureDocuments(measureInput(...given)))('anthropic');
const measure = (message: unknown) => measureAll([message], { tools: [], output: [] });

/** What a hold misses, the provider bills to us. */
describe('text is counted in every field @attack', () => {
  test.each([
    ['a message', { role: 'user', content: long }],
    ['a message that calls itself an image', { role: 'user', type: 'image', content: long }],
    ['a part next to an image', { role: 'user', content: [{ type: 'image', source: {}, text: long }] }],
    [
      'tool arguments that look like an image',
      { role: 'assistant', content: [{ type: 'tool_use', input: { type: 'image', text: long } }] },
    ],
    ['tool arguments in numbers', { role: 'assistant', content: [{ type: 'tool_use', input: { numbers } }] }],
    [
      'tool arguments in property names',
      { role: 'assistant', content: [{ type: 'tool_use', input: { [long]: 1 } }] },
    ],
    ['a call', { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: long } }] }],
    [
      'a call in numbers that grow when they are written out',
      {
        role: 'assistant',
        tool_calls: [
          { function: { arguments: JSON.stringify([0]).replace('0', `${'9e20,'.repeat(LETTERS / 21)}1`) } },
        ],
      },
    ],
    ['a call by object', { role: 'assistant', tool_calls: [{ function: { arguments: { numbers } } }] }],
    [
      'the result of a tool',
      { role: 'user', content: [{ type: 'tool_result', content: [{ type: 'text', text: long }] }] },
    ],
    [
      'a document of text',
      { role: 'user', content: [{ type: 'document', source: { type: 'text', data: long } }] },
    ],
    [
      'a document of blocks',
      {
        role: 'user',
        content: [{ type: 'document', source: { type: 'content', content: [{ type: 'text', text: long }] } }],
      },
    ],
    ['many flags', { role: 'assistant', tool_calls: Array(LETTERS / 4).fill(false) }],
    ['the name of a file', { role: 'user', content: [{ type: 'file', file: { filename: long } }] }],
    ['the title of a document', { role: 'user', content: [{ type: 'document', source: {}, title: long }] }],
    [
      'the context of a document',
      { role: 'user', content: [{ type: 'document', source: {}, context: long }] },
    ],
    ['a thought', { role: 'assistant', content: [{ type: 'thinking', thinking: long }] }],
  ])('%s', async (_, message) => {
    const { largestInputTokens } = await measure(message);
    expect(largestInputTokens).toBeGreaterThan(LETTERS / 2.2);
    expect(largestInputTokens).toBeLessThan(1.5 * LETTERS);
  });
});

test('a document given by URL can fill the context window, in either format', async () => {
  const url = 'https://x.test/a.pdf';
  const document = { type: 'document', source: { type: 'url', url } };
  const file = { type: 'file', file: { file_data: url } };
  for (const part of [document, file]) {
    expect((await measure({ role: 'user', content: [part] })).media.documentTokens).toBe(
      Number.POSITIVE_INFINITY,
    );
  }
});

test('the pages of a PDF are counted in either format, even when they take few bytes', async () => {
  const page = '<</Type/Page>>';
  const data = Buffer.from(`%PDF-1.4 ${page.repeat(300)}`).toString('base64');
  const document = { type: 'document', source: { type: 'base64', data } };
  const file = { type: 'file', file: { file_data: `data:application/pdf;base64,${data}` } };
  for (const part of [document, file]) {
    expect((await measure({ role: 'user', content: [part] })).media).toEqual({
      images: [],
      pages: 300,
      documentTokens: 0,
      recordings: [],
    });
  }
});

test('a text of megabytes is held for without being read to its end', async () => {
  const size = await measure({ role: 'user', content: 'word '.repeat(1_000_000) });
  expect(size.largestInputTokens).toBeGreaterThan(4_000_000);
  expect(size.likelyInputTokens).toBeLessThan(2_000_000);
});

test('arguments of megabytes are held for as the longest JSON of them', async () => {
  const input = { text: '\n'.repeat(1_500_000) };
  const size = await measure({ role: 'assistant', content: [{ type: 'tool_use', input }] });
  expect(size.largestInputTokens).toBeGreaterThan(JSON.stringify(input).length);
});

test('JSON is written only as far as it is read, however many calls, tools or sounds contain it @attack', async () => {
  const { stringify } = JSON;
  let written = 0;
  vi.spyOn(JSON, 'stringify').mockImplementation((...given: Parameters<typeof stringify>) => {
    const text = stringify(...given);
    written += text.length;
    return text;
  });
  const input = { text: 'word '.repeat(50_000) };
  const sound = { type: 'input_audio', input_audio: { data: 'A'.repeat(8_000_000) } };
  const content = [...Array(30).fill({ type: 'tool_use', input }), sound];
  const size = await measure({ role: 'assistant', content });
  vi.restoreAllMocks();
  expect(written).toBeLessThan(1_100_000);
  expect(size.largestInputTokens).toBeGreaterThan(30 * 250_000 - 1_000_000);
  expect(size.likelyInputTokens).toBeLessThan((30 * 250_000) / 2);
});

test.each<[string, unknown]>([
  ['numbers', Array(90_000).fill(-2.2250738585072014e-308)],
  ['flags', Array(90_000).fill(false)],
  ['empty lists', Array(45_000).fill([])],
  ['empty objects', Array(45_000).fill({})],
  ['empty texts', Array(90_000).fill('')],
  ['fields', Object.fromEntries(Array.from({ length: 45_000 }, (_, index) => [index, {}]))],
])('arguments of many %s after a text of megabytes are held for as their bytes @attack', async (_, input) => {
  const text = 'word '.repeat(250_000);
  const tokens = async (content: unknown[]) =>
    (await measure({ role: 'assistant', content })).largestInputTokens;
  const only = await tokens([{ type: 'text', text }]);
  const both = await tokens([
    { type: 'text', text },
    { type: 'tool_use', input },
  ]);
  expect(both - only).toBeGreaterThanOrEqual(JSON.stringify(input).length);
});

test('a schema for the output counts as a tool, because it may be sent as one', async () => {
  const largest = async (format: object) =>
    (await measureAll([], { tools: [], output: [format] })).largestInputTokens;
  expect(await largest({ type: 'json_schema', json_schema: { schema: {} } })).toBeGreaterThan(1_000);
  expect(await largest({ format: { type: 'json_schema', schema: {} } })).toBeGreaterThan(1_000);
  expect(await largest({ effort: 'high' })).toBeLessThan(50);
});

test('the tools that a request allows or forces are counted @attack', async () => {
  const largest = async (toolChoice: unknown) =>
    (await measureAll([], { tools: [], toolChoice, output: [] })).largestInputTokens;
  expect(await largest({ allowed_tools: { tools: [{ name: long }] } })).toBeGreaterThan(LETTERS / 2.2);
  expect(await largest('auto')).toBeLessThan(8);
  expect(await largest(undefined)).toBe(0);
});

test('tools count for more than their schemas, because the provider explains them to the model', async () => {
  const largest = async (...tools: object[]) =>
    (await measureAll([], { tools, output: [] })).largestInputTokens;
  // Claude receives up to 804 tokens in addition to a tool's schema, and 735 more for a computer.
  expect(await largest({ name: 'f', input_schema: {} })).toBeGreaterThan(804);
  expect(await largest({ type: 'computer_20250124', name: 'computer' })).toBeGreaterThan(804 + 735);
  expect(await largest()).toBe(0);
});

test('media are counted apart from the text, in the result of a tool as well', async () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: long } };
  const pdf = { type: 'document', source: { type: 'base64', data: long } };
  const shown = { role: 'user', content: [{ type: 'tool_result', content: [image, pdf] }] };
  const size = await measure(shown);
  expect(size.largestInputTokens).toBeLessThan(100);
  expect(size.media.images).toEqual([{ size: null, isLowDetail: false }]);
  expect(size.media).toMatchObject({ pages: 1, documentTokens: Number.POSITIVE_INFINITY });
});

test('documents that take long to measure together are held for as if they filled the context window @attack', async () => {
  const file = Buffer.from(`%PDF-1.4\n${'1 0 obj << /Type /Page >> endobj '.repeat(5_500)}`).toString(
    'base64',
  );
  const document = { type: 'document', source: { type: 'base64', data: file } };
  const tokens = async (count: number) =>
    (await measure({ role: 'user', content: Array(count).fill(document) })).media.documentTokens;
  expect(await tokens(4)).toBe(0);
  expect(await tokens(8)).toBe(Number.POSITIVE_INFINITY);
});

test('a PDF whose base64 goes on behind its padding can fill the context window @attack', async () => {
  const [small, large] = [1, 300].map((pages) =>
    Buffer.from(`%PDF-1.4 ${'<</Type/Page>>'.repeat(pages)}`)
      .toString('base64')
      .replaceAll('=', ''),
  );
  const source = { type: 'base64', data: `${small}=${large}` };
  const { media } = await measure({ role: 'user', content: [{ type: 'document', source }] });
  expect(media.documentTokens).toBe(Number.POSITIVE_INFINITY);
});
