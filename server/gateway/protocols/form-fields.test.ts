import { expect, test } from 'vitest';
import { UploadedFile } from '../../base/http/read-multipart';
import { writeForm } from '../providers/write-form';
import { type FormShape, readFormFields } from './form-fields';

const SHAPE: FormShape = {
  temperature: 'number',
  stream: 'flag',
  tags: 'list',
  chunking: 'object',
  file: 'file',
  image: { maxFiles: 2 },
};

const fileOf = (field: string, filename = 'a.wav') =>
  new UploadedFile({ field, filename, contentType: 'audio/wav', bytes: Buffer.from('abc') });

const read = (fields: [string, string][], files: UploadedFile[] = []) =>
  readFormFields({ fields: fields.map(([name, value]) => ({ name, value })), files }, SHAPE);

test('numbers, flags, lists and objects are read as in JSON, and the rest as text', () => {
  const file = fileOf('file');
  const images = [fileOf('image[]'), fileOf('image')];
  expect(
    read(
      [
        ['temperature', '0.5'],
        ['stream', 'true'],
        ['tags[]', 'a'],
        ['tags[1]', '2'],
        ['chunking[type]', 'server_vad'],
        ['prompt', '5'],
      ],
      [file, ...images],
    ),
  ).toEqual({
    temperature: 0.5,
    stream: true,
    tags: ['a', '2'],
    chunking: { type: 'server_vad' },
    prompt: '5',
    file,
    image: images,
  });
});

test('what is no number and no flag stays text, for the schema to refuse', () => {
  const wrong: [string, string][] = [
    ['temperature', '0x10'],
    ['stream', 'yes'],
  ];
  expect(read(wrong)).toEqual(Object.fromEntries(wrong));
});

test.each<[string, [string, string][], UploadedFile[], string]>([
  [
    'a single field twice',
    [
      ['model', 'a'],
      ['model', 'b'],
    ],
    [],
    'model: must not be repeated',
  ],
  [
    'an inner field twice',
    [
      ['chunking[type]', 'a'],
      ['chunking[type]', 'b'],
    ],
    [],
    'chunking[type]: must not be repeated',
  ],
  ['a single file twice', [], [fileOf('file'), fileOf('file')], 'file: must not be repeated'],
  ['a file and a text of one name', [['other', 'a']], [fileOf('other')], 'other: must not be repeated'],
  [
    'too many files',
    [],
    [fileOf('image'), fileOf('image'), fileOf('image')],
    'image: must have at most 2 items',
  ],
  ['text in place of a file', [['file', 'abc']], [], 'file: must be a file'],
  ['text in place of files', [['image[]', 'abc']], [], 'image: must be a file'],
  ['a file in place of text', [], [fileOf('temperature')], 'temperature: must be text'],
  ['the name of the prototype', [['__proto__', 'a']], [], '__proto__'],
  ['the name of the prototype inside', [['chunking[__proto__]', 'a']], [], '__proto__'],
  ['the name of the prototype for a file', [], [fileOf('__proto__')], '__proto__'],
])('%s is refused', (_, fields, files, message) => {
  expect(() => read(fields, files)).toThrow(message);
});

test('a name cannot end its header when a form is written', () => {
  const parts = writeForm({ 'a"\r\nx: y': '1', file: fileOf('file', 'b"\r\nx: y') }, 'b');
  expect(Buffer.concat(parts).toString()).toBe(
    [
      '--b',
      'content-disposition: form-data; name="a%22%0D%0Ax: y"',
      '',
      '1',
      '--b',
      'content-disposition: form-data; name="file"; filename="b%22%0D%0Ax: y"',
      'content-type: audio/wav',
      '',
      'abc',
      '--b--',
      '',
    ].join('\r\n'),
  );
});
