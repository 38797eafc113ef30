import { describe, expect, test } from 'vitest';
import type { Json } from '@/server/gateway/protocols/neutral';
import { CHAT, exchange, MESSAGES, refusalOf } from './exchange-harness';

/** Each refusal of a field says where it is, what is wrong and what is expected. */

const chat = (fields: Json, provider = 'anthropic') =>
  refusalOf(() => exchange('chat', { ...CHAT, ...fields }, { provider })).message;
const messages = (fields: Json, provider = 'openai') =>
  refusalOf(() => exchange('messages', { ...MESSAGES, ...fields }, { provider })).message;

const user = (...content: unknown[]) => ({ messages: [{ role: 'user', content }] });
const assistant = (message: Json) => ({
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', ...message },
  ],
});
const block = (given: Json) => assistant({ content: [given] });

describe('chat: a field that no provider accepts', () => {
  test.each<[Json, string]>([
    [{ messages: undefined }, 'messages: is required: an array of messages'],
    [{ messages: 'Hi' }, 'messages: must be an array of messages'],
    [{ messages: null }, 'messages: must be an array of messages'],
    [{ messages: ['Hi'] }, 'messages.0: must be an object with role and content'],
    [
      { messages: [{ content: 'Hi' }] },
      'messages.0.role: is required: one of system, developer, user, assistant, tool',
    ],
    [{ max_tokens: 1e20 }, 'max_tokens: is too large'],
    [{ max_tokens: '5' }, 'max_tokens: must be a whole number'],
    [{ stop: ['a', 5] }, 'stop.1: must be a string'],
    [{ stop: 5 }, 'stop: must be a string or an array of strings'],
    [{ stream_options: 'usage' }, 'stream_options: must be an object'],
  ])('%j', (fields, reason) => {
    expect(chat(fields, 'generic')).toBe(reason);
  });
});

describe('messages: a field that no provider accepts', () => {
  test.each<[Json, string]>([
    [{ messages: 'Hi' }, 'messages: must be an array of messages'],
    [
      { messages: [{ role: 'user' }] },
      'messages.0.content: is required: a string or an array of content blocks',
    ],
    [
      { messages: [{ role: 'user', content: 5 }] },
      'messages.0.content: must be a string or an array of content blocks',
    ],
    [{ messages: [{ content: 'Hi' }] }, 'messages.0.role: is required: user or assistant'],
    [user('Hi'), 'messages.0.content.0: must be a content block: an object with a type'],
    [user({ type: 'text', text: 'Hi' }, { text: 'Hi' }), 'messages.0.content.1.type: is required: a string'],
    [{ system: [{ type: 5 }] }, 'system.0.type: must be a string'],
    [{ stop_sequences: [5] }, 'stop_sequences.0: must be a string'],
  ])('%j', (fields, reason) => {
    expect(messages(fields, 'anthropic')).toBe(reason);
  });
});

describe('chat to the other format: no invalid field is silently dropped', () => {
  const call = (given: Json) => assistant({ content: null, tool_calls: [given] });
  test.each<[Json, string]>([
    [user('Hi'), 'messages.0.content.0: must be a part: an object with a type'],
    [user({ text: 'Hi' }), 'messages.0.content.0.type: is required: a string'],
    [user({ type: 'text', content: 'Hi' }), 'messages.0.content.0.text: is required'],
    [user({ type: 'text', text: 5 }), 'messages.0.content.0.text: must be a string'],
    [user({ type: 'image_url' }), 'messages.0.content.0.image_url.url: is required'],
    [
      user({ type: 'image_url', image_url: { url: 'http://x.test/a.png' } }),
      'messages.0.content.0.image_url.url: must be a base64 data URL or an https URL',
    ],
    [
      user({ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }),
      'messages.0.content.0.image_url.url: must be a JPEG, PNG, GIF or WebP image',
    ],
    [
      user({ type: 'file', file: { file_data: 'AAAA' } }),
      'messages.0.content.0.file.file_data: must be a PDF, in base64 or as a data URL of application/pdf',
    ],
    [assistant({ tool_calls: { id: 'a' } }), 'messages.1.tool_calls: must be an array of tool calls'],
    [call({ function: { name: 'f' } }), 'messages.1.tool_calls.0.id: is required'],
    [call({ id: 'a', function: {} }), 'messages.1.tool_calls.0.function.name: is required'],
    [{ tools: [{ function: { name: 'f' } }] }, 'tools.0.type: is required: a string'],
    [
      { tools: [{ type: 'function', function: { name: 'f', parameters: 'none' } }] },
      'tools.0.function.parameters: must be an object',
    ],
    [
      { reasoning_effort: 'much' },
      'reasoning_effort: must be one of none, minimal, low, medium, high, xhigh, max',
    ],
  ])('%j', (fields, reason) => {
    expect(chat(fields)).toBe(reason);
  });
});

describe('messages to the other format: no invalid field is silently dropped', () => {
  const result = (given: Json) => ({
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', ...given }] },
    ],
  });
  test.each<[Json, string]>([
    [user({ type: 'text' }), 'messages.0.content.0.text: is required'],
    [user({ type: 'image' }), 'messages.0.content.0.source.type: must be base64 or url'],
    [user({ type: 'image', source: { type: 'url' } }), 'messages.0.content.0.source.url: is required'],
    [
      user({ type: 'image', source: { type: 'base64', data: 'AAAA' } }),
      'messages.0.content.0.source: must be a JPEG, PNG, GIF or WebP image',
    ],
    [
      user({ type: 'document', source: { type: 'base64', media_type: 'text/plain', data: 'SGk=' } }),
      'messages.0.content.0.source.media_type: must be application/pdf',
    ],
    [
      user({ type: 'document', source: { type: 'url', url: 'https://x.example/a.pdf' } }),
      'messages.0.content.0.source: this model does not accept document URLs: send the PDF as base64',
    ],
    [block({ type: 'tool_use', name: 'f', input: {} }), 'messages.1.content.0.id: is required'],
    [block({ type: 'tool_use', id: 't', input: {} }), 'messages.1.content.0.name: is required'],
    [
      block({ type: 'tool_use', id: 't', name: 'f', input: 'all' }),
      'messages.1.content.0.input: must be an object',
    ],
    [result({ content: 'r' }), 'messages.2.content.0.tool_use_id: is required'],
    [
      result({ tool_use_id: 't', content: { a: 1 } }),
      'messages.2.content.0.content: must be a string or an array of content blocks',
    ],
    [
      { tools: [{ name: 'f', input_schema: {} }], tool_choice: { name: 'f' } },
      'tool_choice.type: must be one of auto, any, tool, none',
    ],
    [{ tools: [{ name: 'f', input_schema: 'none' }] }, 'tools.0.input_schema: must be an object'],
    [
      { output_config: { effort: 'none' } },
      'output_config.effort: must be one of minimal, low, medium, high, xhigh, max',
    ],
  ])('%j', (fields, reason) => {
    expect(messages(fields)).toBe(reason);
  });
});
