import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { countPdfPages } from './pdf-pages';

const page = (number: number) => `${number} 0 obj << /Type /Page /Parent 2 0 R >> endobj\n`;
const tree = '2 0 obj << /Type /Pages /Count 3 /Kids [3 0 R] >> endobj\n';
const pages = (count: number) => Array.from({ length: count }, (_, index) => page(index)).join('');
const stream = (text: string) =>
  Buffer.concat([
    Buffer.from('9 0 obj << /Type /ObjStm /N 3 /Filter /FlateDecode >>\nstream\r\n'),
    deflateSync(text),
    Buffer.from('\nendstream endobj\n'),
  ]);
const pdf = (...pieces: (string | Buffer)[]) =>
  Buffer.concat(['%PDF-1.7\n', ...pieces, '%%EOF'].map((piece) => Buffer.from(piece))).toString('base64');

test.each([
  ['written out', pdf(tree, pages(3)), 3],
  ['written without blanks', pdf('1 0 obj<</Type/Page/Parent 2 0 R>>endobj<</Type/Pages>>'), 1],
  ['in streams of objects', pdf(tree, stream(pages(40)), 'x'.repeat(900), stream(pages(200))), 240],
  ['in a stream that cannot be read', pdf('<< /Type /ObjStm >>\nstream\nnothing\nendstream'), null],
  ['in a stream of many megabytes', pdf(stream(' '.repeat(4_000_000))), null],
  ['in many streams that decompress to megabytes each', pdf(...Array(500).fill(stream(pages(20_000)))), null],
  [
    'in a stream far behind its dictionary',
    pdf('/Type /ObjStm', ' '.repeat(3_000), stream(pages(4)).subarray(30)),
    null,
  ],
  ['of no PDF', Buffer.from('/Type /Page').toString('base64'), null],
  ['of nothing', '', null],
])('pages %s', (_, base64, count) => {
  expect(countPdfPages(base64)).toBe(count);
});
