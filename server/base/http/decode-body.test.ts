import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readJsonObject, readText } from './read-body';

const LIMIT = 32 * 1024 * 1024;
const QUICK = { [constants.BROTLI_PARAM_QUALITY]: 1 };
const BODY = { text: 'Grüße 🌍'.repeat(10_000) };
const BYTES = Buffer.from(JSON.stringify(BODY));

const post = (body: Buffer, encoding: string): Request =>
  new Request('http://localhost', {
    method: 'POST',
    body: new Uint8Array(body),
    headers: { 'content-encoding': encoding },
  });

test.each([
  ['gzip', gzipSync(BYTES)],
  ['GZIP', gzipSync(BYTES)],
  ['x-gzip', gzipSync(BYTES)],
  ['deflate', deflateSync(BYTES)],
  ['deflate', deflateRawSync(BYTES)],
  ['br', brotliCompressSync(BYTES)],
  ['identity', BYTES],
  [' ', BYTES],
])('a body in %j is read', async (encoding, body) => {
  expect(await readJsonObject(post(body, encoding), LIMIT)).toEqual(BODY);
});

describe('a body that cannot be decoded', () => {
  test.each([
    ['gzip', BYTES],
    ['gzip', gzipSync(BYTES).subarray(0, -20)],
    ['br', BYTES],
    ['deflate', Buffer.alloc(0)],
  ])('in %j gets 400', async (encoding, body) => {
    await expect(readText(post(body, encoding), LIMIT)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  test.each(['compress', 'gzip, br', 'constructor', '__proto__'])('in %j gets 415', async (encoding) => {
    await expect(readText(post(BYTES, encoding), LIMIT)).rejects.toMatchObject({
      code: 'unsupported_encoding',
      status: 415,
    });
  });

  test('that expands beyond the limit gets 413 in the time of one at the limit @attack', async () => {
    const zeros = Buffer.alloc(6 * LIMIT);
    const bombs = { gzip: gzipSync(zeros), br: brotliCompressSync(zeros, { params: QUICK }) };
    const start = process.cpuUsage();
    for (const [encoding, bomb] of Object.entries(bombs)) {
      expect(bomb.length).toBeLessThan(LIMIT / 32);
      const reading = readText(post(bomb, encoding), LIMIT);
      await expect(reading).rejects.toMatchObject({ code: 'request_too_large' });
    }
    const { user } = process.cpuUsage(start);
    expect(user / 1_000).toBeLessThan(2_000);
  });
});
