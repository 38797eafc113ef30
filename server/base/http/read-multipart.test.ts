import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { digestForm, type MultipartForm, readMultipart } from './read-multipart';

const LIMITS = { limitBytes: 32 * 1024 * 1024, key: '' };
const BOUNDARY = 'some-boundary';

const send = (body: BodyInit, type?: string): Promise<MultipartForm> =>
  readMultipart(
    new Request('http://svc.test', {
      method: 'POST',
      body,
      ...(type !== undefined && { headers: { 'content-type': type } }),
    }),
    LIMITS,
  );

/** Parts with these headers and this content. */
const write = (parts: readonly (readonly [string, string | Buffer])[], boundary = BOUNDARY) =>
  Buffer.concat([
    ...parts.flatMap(([head, content]) => [
      Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);

const named = (name: string, more = '') => `Content-Disposition: form-data; name="${name}"${more}`;
const file = (name: string) => named(name, '; filename="a.bin"');
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

const refusalOf = (body: BodyInit, type = TYPE): Promise<{ code: string; param: string; message: string }> =>
  send(body, type).then(
    () => expect.unreachable('the form was accepted'),
    (error) => error,
  );

test('a form of a web client has its fields, and its files byte for byte', async () => {
  const bytes = randomBytes(300_000);
  const form = new FormData();
  form.append('model', 'openai/whisper-1');
  form.append('tags[]', 'ä');
  form.append('tags[]', 'ö');
  form.append('file', new File([bytes], 'Ünter "x".wav', { type: 'audio/wav' }));
  const { fields, files } = await send(form);
  expect(fields).toEqual([
    { name: 'model', value: 'openai/whisper-1' },
    { name: 'tags[]', value: 'ä' },
    { name: 'tags[]', value: 'ö' },
  ]);
  expect(files).toHaveLength(1);
  expect(files[0]).toMatchObject({ field: 'file', contentType: 'audio/wav' });
  expect(files[0]?.bytes.equals(bytes)).toBe(true);
});

test('what walks through a request does not walk through the bytes of a file', async () => {
  const { files } = await send(write([[file('file'), 'abc']]), TYPE);
  expect(Object.keys(files[0] ?? {})).toEqual(['field', 'filename', 'contentType']);
});

test('a boundary may be quoted, and text may follow the last one', async () => {
  const body = Buffer.concat([write([[named('a'), '1']], 'a b'), Buffer.from('the end')]);
  const { fields } = await send(body, 'Multipart/Form-Data; charset=utf-8; boundary="a b"');
  expect(fields).toEqual([{ name: 'a', value: '1' }]);
});

describe('a form is refused, and the error names the part, if it', () => {
  const whole = write([[file('file'), 'abc']]);
  test.each<[string, BodyInit, string, string | undefined]>([
    ['has no boundary', whole, 'Content-Type: must have a boundary', 'multipart/form-data'],
    [
      'has a longer boundary than allowed',
      whole,
      'Content-Type: must have a boundary',
      `multipart/form-data; boundary=${'a'.repeat(71)}`,
    ],
    ['has another boundary', whole, 'part 1: is incomplete', 'multipart/form-data; boundary=b'],
    ['is empty', Buffer.from(`--${BOUNDARY}--`), 'The multipart body is empty.', undefined],
    ['has no body', '', 'The multipart body is empty.', undefined],
    ['ends early', whole.subarray(0, -8), 'part 1: is incomplete', undefined],
    [
      'ends early in a later part',
      write([
        [named('a'), '1'],
        [file('file'), 'abc'],
      ]).subarray(0, -20),
      'part 2: is incomplete',
      undefined,
    ],
    [
      'has a part without a name',
      write([['Content-Type: text/plain', 'a']]),
      'part 1: has no name',
      undefined,
    ],
    [
      'has a part of no form',
      write([['Content-Disposition: attachment; name="a"', 'a']]),
      'part 1: has no name',
      undefined,
    ],
    [
      'has a long name',
      write([[named('a'.repeat(65)), 'a']]),
      'part 1: has a name of more than 64',
      undefined,
    ],
    [
      'has long headers',
      write([[`${named('a')}\r\nX: ${'x'.repeat(5_000)}`, 'a']]),
      'part 1: has headers of more than 4096 bytes',
      undefined,
    ],
    [
      'has endless headers',
      Buffer.from(`--${BOUNDARY}\r\n${'x: y\r\n'.repeat(100_000)}`),
      'part 1: has headers of more than 4096 bytes',
      undefined,
    ],
    [
      'has headers that are not UTF-8',
      write([[named('a'), '1']]).fill(0xff, BOUNDARY.length + 42, BOUNDARY.length + 43),
      'part 1: has headers that are not UTF-8',
      undefined,
    ],
    [
      'has a file name in another character set',
      write([[named('a', "; filename*=utf-16'en'x"), '1']]),
      'part 1: has headers that are not UTF-8',
      undefined,
    ],
    [
      'has many parts',
      write(Array.from({ length: 129 }, () => [named('a'), '1'] as const)),
      'The multipart body has more than 128 parts.',
      undefined,
    ],
    ['has an empty file', write([[file('file'), '']]), 'file: is an empty file', undefined],
    [
      'has a long field',
      write([[named('a'), 'x'.repeat(131_073)]]),
      'a: must have at most 131072 bytes',
      undefined,
    ],
    [
      'has a field that is not UTF-8',
      write([[named('a'), Buffer.from([0xc3, 0x28])]]),
      'a: must be UTF-8',
      undefined,
    ],
    [
      'has parts inside a part',
      write([[`${named('a')}\r\nContent-Type: multipart/mixed; boundary=b`, '--b--']]),
      'a: must not contain other parts',
      undefined,
    ],
    [
      'has an encoded part',
      write([[`${named('a')}\r\nContent-Transfer-Encoding: base64`, 'YQ==']]),
      'a: must not be encoded as base64',
      undefined,
    ],
  ])('%s', async (_, body, message, type = TYPE) => {
    const refusal = await refusalOf(body, type);
    expect(refusal.code).toBe('invalid_request');
    expect(refusal.message).toContain(message);
    if (!message.startsWith('The')) expect(refusal.param).toBe(message.slice(0, message.indexOf(':')));
  });
});

/** Time that is not linear would be minutes. */
test.each<[string, string, (boundary: string) => string]>([
  ['of the letters of its boundary', 'a'.repeat(70), () => 'a'],
  ['of the beginnings of its boundary', `${'a'.repeat(69)}b`, (b) => `\r\n--${b.slice(0, -1)}`],
  ['of pairs as in its boundary', 'ab'.repeat(35), () => 'ba'],
  ['of line ends and dashes', '-'.repeat(70), () => '\r\n--'],
])('a file that consists %s takes linear time @attack', async (_, boundary, pieceOf) => {
  const piece = pieceOf(boundary);
  const content = Buffer.alloc(31 * 1024 * 1024, piece);
  const body = write([[file('file'), content]], boundary);
  const startedAt = performance.now();
  await send(body, `multipart/form-data; boundary=${boundary}`).catch(() => {});
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

describe('the hash of a form', () => {
  const hashOf = async (parts: [string, string][], boundary = BOUNDARY) =>
    (
      await digestForm(await send(write(parts, boundary), `multipart/form-data; boundary=${boundary}`))
    ).toString('hex');
  const parts: [string, string][] = [
    [named('model'), 'm'],
    [file('file'), 'abc'],
  ];

  test('is the same with another boundary, and in another order', async () => {
    expect(await hashOf(parts, 'another')).toBe(await hashOf(parts));
    expect(await hashOf(parts.toReversed())).toBe(await hashOf(parts));
  });

  test.each<[string, [string, string][]]>([
    ['value', [[named('model'), 'n'], parts[1] as [string, string]]],
    ['name', [[named('models'), 'm'], parts[1] as [string, string]]],
    ['file', [parts[0] as [string, string], [file('file'), 'abd']]],
    ['kind of part', [parts[0] as [string, string], [named('file'), 'abc']]],
  ])('differs with another %s', async (_, others) => {
    expect(await hashOf(others)).not.toBe(await hashOf(parts));
  });

  test('depends on the order of parts with one name', async () => {
    const items: [string, string][] = [
      [named('a[]'), '1'],
      [named('a[]'), '2'],
    ];
    expect(await hashOf(items.toReversed())).not.toBe(await hashOf(items));
  });
});
