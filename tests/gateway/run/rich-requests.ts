import type { Json } from '@/server/gateway/protocols/neutral';
import { plainPdf } from '../../harness/honest/write-pdf';

/** Requests with nearly every field, each of which a test replaces by something else. */

const PDF = plainPdf(['Page']).file.toString('base64');
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const SCHEMA = { type: 'object', properties: { place: { type: 'string' } } };
export const text = (words: string) => ({ type: 'text', text: words });

export const CHAT: Json = {
  max_tokens: 50,
  stop: ['END'],
  messages: [
    { role: 'system', content: [text('Be brief')] },
    {
      role: 'user',
      name: 'ann',
      content: [
        text('Hi'),
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'low' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: PDF } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      refusal: 'No',
      reasoning_details: [{ type: 'reasoning.text', text: 'Hm', signature: 's' }],
      tool_calls: [{ id: 'call_12345', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
    },
    { role: 'tool', tool_call_id: 'call_12345', content: [text('sunny')] },
    { role: 'system', content: [text('Be brief')] },
    { role: 'assistant', content: 'Yo', function_call: { name: 'g', arguments: '{"a":1}' } },
    { role: 'function', name: 'g', content: 'rainy' },
    { role: 'user', content: 'And?' },
  ],
  tools: [{ type: 'function', function: { name: 'f', description: 'F', parameters: SCHEMA } }],
  functions: [{ name: 'g', description: 'G', parameters: SCHEMA }],
  tool_choice: {
    type: 'allowed_tools',
    allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] },
  },
  response_format: { type: 'json_schema', json_schema: { name: 'r', schema: SCHEMA } },
};

export const MESSAGES: Json = {
  max_tokens: 50,
  stop_sequences: ['END'],
  system: [text('Be brief')],
  messages: [
    {
      role: 'user',
      content: [
        text('Hi'),
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
        {
          type: 'document',
          title: 'T',
          context: 'C',
          source: { type: 'base64', media_type: 'application/pdf', data: PDF },
        },
        { type: 'document', title: 'T', context: 'C', source: { type: 'content', content: [text('Page')] } },
        { type: 'document', title: 'T', context: 'C', source: { type: 'text', data: 'Page' } },
        { type: 'search_result', title: 'T', source: 'https://example.com/', content: [text('Found')] },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm', signature: 's' },
        { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1, b: ['c'] } },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_1', is_error: false, content: [text('sunny')] }],
    },
    { role: 'system', content: [text('Be brief')] },
    { role: 'user', content: 'And?' },
  ],
  tools: [{ name: 'f', description: 'F', input_schema: SCHEMA }],
  tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true },
  output_config: { format: { type: 'json_schema', schema: SCHEMA } },
};

export type Path = readonly (string | number)[];

export function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  const paths = inner.flatMap(([step, item]) => pathsIn(item, [...path, step]));
  return path.length === 0 ? paths : [path, ...paths];
}

export function replaceAt(value: unknown, [step, ...rest]: Path, other: unknown): unknown {
  if (step === undefined) return other;
  if (Array.isArray(value))
    return value.map((item, at) => (at === step ? replaceAt(item, rest, other) : item));
  return { ...(value as Json), [step]: replaceAt((value as Json)[step], rest, other) };
}
