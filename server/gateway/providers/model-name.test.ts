import { expect, test } from 'vitest';
import { renameModel } from './model-name';

test.each([
  ['{"id":"x","model":"up"}', 1, '{"id":"x","model":"our/name"}'],
  ['{ "model" : "u\\"p" , "a":1}', 1, '{ "model" : "our/name" , "a":1}'],
  [
    '{"content":[{"input":{"model":"theirs"}}],"model":"up"}',
    1,
    '{"content":[{"input":{"model":"theirs"}}],"model":"our/name"}',
  ],
  ['{"text":"\\"model\\":\\"x\\"","model":"up"}', 1, '{"text":"\\"model\\":\\"x\\"","model":"our/name"}'],
  [
    '{"type":"message_start","message":{"model":"up"}}',
    2,
    '{"type":"message_start","message":{"model":"our/name"}}',
  ],
  ['{"model":null,"id":"x"}', 1, '{"model":null,"id":"x"}'],
  ['{"model":{"model":"x"}}', 1, '{"model":{"model":"x"}}'],
  ['{"id":"model","object":"model"}', 1, '{"id":"model","object":"model"}'],
])('%s', (json, depth, renamed) => {
  expect(renameModel(json, 'our/name', depth)).toBe(renamed);
});

test('a response of many megabytes with its name at the end', () => {
  const json = JSON.stringify({ choices: [{ message: { content: 'x\n"'.repeat(4_000_000) } }], model: 'up' });
  expect(renameModel(json, 'our/name').endsWith('"model":"our/name"}')).toBe(true);
});
