import { expect, test } from 'vitest';
import { parseWithMetadata } from './read-body';
import { readFields } from './read-fields';

const refusal = (text: string): unknown => {
  try {
    return parseWithMetadata(text);
  } catch (error) {
    return error;
  }
};

test.each([
  '175928847299117063',
  '1983516295378495150',
  '12345678901234567',
  '9007199254740993',
  '-9007199254740995',
  '123456789012345678901234567890',
  '0.1234567890123456789',
  '1.7592884729911706300001e17',
  '-0',
  '-0.0',
  '1e-400',
  `1${'0'.repeat(100)}1`,
])('metadata with the number %s is refused, because its digits would change', (number) => {
  const text = `{"email":"x","metadata":{"plan":"pro","discord_id":${number}}}`;
  expect(refusal(text)).toMatchObject({
    code: 'invalid_request',
    param: 'metadata.discord_id',
    message: 'metadata.discord_id: has more digits than a JSON number keeps here. Send it as text.',
  });
});

test.each([
  '9007199254740991',
  '0',
  '7',
  '-1.5',
  '1.50',
  '1e3',
  '1E+21',
  '0.1',
  '0.30000000000000004',
  '1e-7',
  '5e-324',
  '100000000000000000000',
])('metadata with the number %s arrives as it is', (number) => {
  const text = `{"metadata":{"a":${number},"text":"175928847299117063","":true}}`;
  expect(parseWithMetadata(text).metadata).toEqual({
    a: Number(number),
    text: '175928847299117063',
    '': true,
  });
});

test('a name that objects cannot hold is refused, not dropped', () => {
  expect(refusal('{"metadata":{"__proto__":"x","k":"v"}}')).toMatchObject({
    code: 'invalid_request',
    param: 'metadata',
  });
  expect(refusal('{"metadata":{"constructor":"x"}}')).toEqual({ metadata: { constructor: 'x' } });
});

test('numbers outside the metadata are not its business', () => {
  expect(refusal('{"credits":175928847299117063,"metadata":{"a":1}}')).toMatchObject({ metadata: { a: 1 } });
  expect(refusal('{"metadata":{"a":null}}')).toEqual({ metadata: { a: null } });
});

test('the metadata of a form is read in the same way', async () => {
  const form = (metadata: string) =>
    readFields(new Request('http://x.test/', { method: 'POST', body: new URLSearchParams({ metadata }) }));
  expect(await form('{"a":1}')).toEqual({ metadata: { a: 1 } });
  await expect(form('{"a":175928847299117063}')).rejects.toMatchObject({ param: 'metadata.a' });
});
