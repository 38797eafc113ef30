import { expect, test } from 'vitest';
import { exchange, refusalOf, sent } from './exchange-harness';

const REQUEST = { model: 'some/model', input: ['a', 'b'], dimensions: 8, encoding_format: 'base64' };

test.each([
  ['openai', { dimensions: 8, encoding_format: 'base64', user: 'hash' }],
  ['mistral', { output_dimension: 8 }],
  ['google', { dimensions: 8 }],
  ['together', { dimensions: 8 }],
  ['own-server', { dimensions: 8 }],
])('an embeddings request has the fields that %s accepts', (provider, more) => {
  const prepared = exchange('embeddings', REQUEST, { provider, userHash: 'hash' });
  expect(prepared.path).toBe('/embeddings');
  expect(sent(prepared)).toEqual({ model: 'upstream-model', input: ['a', 'b'], ...more });
});

test('a provider of the messages format has no embeddings', () => {
  expect(refusalOf(() => exchange('embeddings', REQUEST, { provider: 'anthropic' }))).toMatchObject({
    param: 'model',
  });
});

test('a response is completed, and vectors are as the client asked for them', () => {
  const { readWhole } = exchange('embeddings', REQUEST);
  const { body, usage } = readWhole('{"data":[{"embedding":[0.5,-2]},{"embedding":[1,0]}]}');
  expect(usage).toBeNull();
  expect(JSON.parse(body)).toEqual({
    object: 'list',
    data: [
      { object: 'embedding', index: 0, embedding: 'AAAAPwAAAMA=' },
      { object: 'embedding', index: 1, embedding: 'AACAPwAAAAA=' },
    ],
    usage: { prompt_tokens: expect.any(Number), total_tokens: expect.any(Number) },
  });
});

test('a response as the client asked for it passes unchanged', () => {
  const text =
    '{ "object":"list", "data":[{"object":"embedding","index":0,"embedding":[0.10, 2e-1]}], "model":"up", "usage":{"prompt_tokens":3,"total_tokens":3} }';
  const { readWhole } = exchange('embeddings', { model: 'some/model', input: 'a' });
  expect(readWhole(text).body).toBe(text.replace('"up"', '"some/model"'));
});

test.each([
  ['an error with status 200', '{"error":{"message":"no"}}'],
  ['no vectors', '{"object":"list","data":[]}'],
  ['no JSON', '<html>'],
])('%s is a failure of the provider', (_, text) => {
  expect(() => exchange('embeddings', REQUEST).readWhole(text)).toThrow();
});
