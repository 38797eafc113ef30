import { expect, test } from 'vitest';
import { measureChat } from '../chat/measure';
import { measureDocuments } from '../measure-size';
import { asObject, asText } from '../read-fields';
import { measureResponses } from './measure';
import { validateResponses } from './schema';
import { unpackReasoning } from './sealed-reasoning';

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const PDF = `data:application/pdf;base64,${Buffer.from('%PDF-1.4 nothing').toString('base64')}`;
const TEXT = 'What is in this? '.repeat(50);

const chat = measureChat({
  model: 'm',
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: TEXT },
        { type: 'image_url', image_url: { url: PIXEL, detail: 'low' } },
        { type: 'file', file: { file_data: PDF, filename: 'a.pdf' } },
      ],
    },
  ],
});
const PARTS = [
  { type: 'input_text', text: TEXT },
  { type: 'input_image', image_url: PIXEL, detail: 'low' },
  { type: 'input_file', file_data: PDF, filename: 'a.pdf' },
];

test.each([
  ['a message', { role: 'user', content: PARTS }],
  ['the result of a tool', { type: 'function_call_output', call_id: 'c', output: PARTS }],
])('media in %s are measured as media, like those of the chat format', async (_, item) => {
  const responses = measureResponses({ model: 'm', input: [item] });
  const [one, other] = [
    (await measureDocuments(chat))('openai'),
    (await measureDocuments(responses))('openai'),
  ];
  expect(other.media).toEqual(one.media);
  expect(other.media.images).toHaveLength(1);
  expect(Math.abs(other.largestInputTokens - one.largestInputTokens)).toBeLessThan(40);
});

const sizeOf = async (request: Parameters<typeof measureResponses>[0]) =>
  (await measureDocuments(measureResponses(request)))('openai').largestInputTokens;

test('the input of a custom tool counts as the JSON that other formats make of it', async () => {
  const input = '"'.repeat(1_000);
  const call = { call_id: 'c', name: 'n' };
  const custom = await sizeOf({ model: 'm', input: [{ type: 'custom_tool_call', ...call, input }] });
  const written = JSON.stringify({ input });
  const called = await sizeOf({
    model: 'm',
    input: [{ type: 'function_call', ...call, arguments: written }],
  });
  expect(custom).toBeGreaterThan(called - 20);
});

test('the name of a namespace counts for each of its tools', async () => {
  const tool = (index: number) => ({ type: 'function', name: `f${index}` });
  const tools = Array.from({ length: 100 }, (_, index) => tool(index));
  const flat = await sizeOf({ model: 'm', input: 'x', tools });
  const named = await sizeOf({
    model: 'm',
    input: 'x',
    tools: [{ type: 'namespace', name: 'QZXJ'.repeat(10), tools }],
  });
  expect(named - flat).toBeGreaterThan(100 * 10);
});

test('a document that only the provider fetches counts as unknown', async () => {
  const part = { type: 'input_file', file_url: 'https://example.com/a.pdf' };
  const responses = measureResponses({ model: 'm', input: [{ role: 'user', content: [part] }] });
  expect((await measureDocuments(responses))('openai').media.documentTokens).toBe(Number.POSITIVE_INFINITY);
});

test('media in the result of a tool are measured whatever else the item has @attack', async () => {
  const item = { type: 'function_call_output', call_id: 'c', output: PARTS, input: 'x' };
  const responses = measureResponses({ model: 'm', input: [item] });
  expect((await measureDocuments(responses))('openai').media.images).toHaveLength(1);
});

test('a message cannot hide its content from the hold behind an output @attack', () => {
  const item = { role: 'user', content: TEXT, output: [] };
  expect(() => validateResponses({ model: 'm', input: [{ role: 'user', content: 'x' }, item] })).toThrow(
    'input.1: must have either content or output',
  );
});

test('packed reasoning counts as the text that a provider reads, whatever its base64 looks like @attack', async () => {
  const pack = (text: string) => Buffer.from(text).toString('base64url');
  const encrypted_content = `svc-reasoning.${pack('["a')}${'_Description'.repeat(400)}${pack('","s"]')}`;
  const { text = '' } = asObject(unpackReasoning(encrypted_content));
  expect(asText(text).length).toBeGreaterThan(3_000);
  const packed = await sizeOf({ model: 'm', input: [{ type: 'reasoning', encrypted_content }] });
  expect(packed).toBeGreaterThan(await sizeOf({ model: 'm', input: asText(text) }));
});
