import { deflateSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { findGrowth } from '../../../tests/harness/growth';
import { measurePdf } from './pdf-size';
import { newWork } from './pdf-work';

/** `pages` and `characters` are what readers of PDFs find in each file. */
const TEXT = 'The committee publishes its findings on Tuesday. ';
const show = (text: string) => `BT /F1 0.05 Tf (${text}) Tj ET`;

const object = (number: number, content: string) => `${number} 0 obj\n${content}\nendobj\n`;
function stream(number: number, content: string | Buffer, dictionary = '', filter = 'FlateDecode'): Buffer {
  const data = filter === 'FlateDecode' ? deflateSync(content) : Buffer.from(content);
  const named = filter === '' ? '' : `/Filter /${filter}`;
  return Buffer.concat([
    Buffer.from(`${number} 0 obj\n<< /Length ${data.length} ${named} ${dictionary} >>\nstream\n`),
    data,
    Buffer.from('\nendstream\nendobj\n'),
  ]);
}
const join = (...pieces: (string | Buffer)[]) => Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
const pdf = (...pieces: (string | Buffer)[]) =>
  join('%PDF-1.7\n', ...pieces, 'trailer << /Root 1 0 R >>\n%%EOF');

const CATALOG = object(1, '<< /Type /Catalog /Pages 2 0 R >>');
const FONT = object(3, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
const RESOURCES = '/Resources << /Font << /F1 3 0 R >> /XObject << /X 8 0 R >> >> /MediaBox [0 0 612 792]';
const tree = (kids: string, count: number) =>
  object(2, `<< /Type /Pages /Count ${count} /Kids [${kids}] ${RESOURCES} >>`);
const page = (number: number, contents = '5 0 R', type = '/Page') =>
  object(number, `<< /Type ${type} /Parent 2 0 R /Contents ${contents} >>`);
const numbers = (count: number) => Array.from({ length: count }, (_, index) => 10 + index);
const references = (count: number) =>
  numbers(count)
    .map((number) => `${number} 0 R`)
    .join(' ');
const onePage = (...pieces: (string | Buffer)[]) => pdf(CATALOG, FONT, tree('4 0 R', 1), page(4), ...pieces);

const measure = (file: Buffer) => measurePdf(file.toString('base64'), newWork());
/** Nobody can know how much: held for as a full context window. */
const UNBOUNDED = null;

describe('a document is measured by what is in it', () => {
  const paragraph = TEXT.repeat(40);

  test('names and outlines are no pages', () => {
    const names = object(6, '<< /Names << /Dests << /Kids [7 0 R 8 0 R 9 0 R] >> >> >>');
    const outline = object(7, '<< /Title (One) /Count 40 /First 8 0 R >>');
    expect(measure(onePage(names, outline, stream(5, show('abc'))))?.pages).toBe(1);
  });

  test('a page of text counts its text, and little more', () => {
    const size = measure(onePage(stream(5, show(paragraph))));
    expect(size).toEqual({ pages: 1, textTokens: 1 + paragraph.length });
  });

  test('each page counts what it shows', () => {
    const pages = numbers(100).map((number) => page(number));
    const size = measure(pdf(CATALOG, FONT, tree(references(100), 100), ...pages, stream(5, show('abc'))));
    expect(size).toEqual({ pages: 100, textTokens: 400 });
  });

  test('fonts and images are no text', () => {
    const noise = Buffer.from(Array.from({ length: 20_000 }, (_, index) => (index * 2_654_435_761) >>> 24));
    const files = stream(6, noise, '/Length1 20000');
    const images = stream(7, noise, '/Type /XObject /Subtype /Image', 'DCTDecode');
    expect(measure(onePage(stream(5, show('abc')), files, images))).toEqual({ pages: 1, textTokens: 4 });
  });

  test('content without a filter, in hexadecimal, or in base 85 counts too', () => {
    const base85 = '<~ARTY*~>'.slice(2);
    expect(measure(onePage(stream(5, show('abc'), '', '')))?.textTokens).toBe(4);
    expect(measure(onePage(stream(5, 'BT <61 6263> Tj ET')))?.textTokens).toBe(4);
    expect(measure(onePage(stream(5, base85, '', 'ASCII85Decode')))).toEqual({ pages: 1, textTokens: 0 });
  });

  test('pages in compressed objects count', () => {
    const packed = `10 0 11 30 << /Type /Page /Contents 5 0 R >> << /Type /Page /Contents 5 0 R >>`;
    const size = measure(
      pdf(
        CATALOG,
        tree(references(2), 2),
        stream(9, packed, '/Type /ObjStm /N 2 /First 12'),
        stream(5, show('abc')),
      ),
    );
    expect(size).toEqual({ pages: 2, textTokens: 8 });
  });

  test('a code that maps to several characters counts as all of them', () => {
    const cmap =
      'beginbfchar <61> <006600660069> <62> <D80CDC00> endbfchar beginbfrange <63> <64> <0430> endbfrange';
    const font = object(3, '<< /Type /Font /ToUnicode 6 0 R >>');
    const size = measure(
      pdf(CATALOG, font, tree('4 0 R', 1), page(4), stream(6, cmap), stream(5, show('abcdz'))),
    );
    expect(size).toEqual({ pages: 1, textTokens: 1 + 3 + 6 + 2 + 2 + 1 });
  });

  test('a form counts each time that it is drawn', () => {
    const form = stream(8, show('abc'), '/Type /XObject /Subtype /Form');
    expect(measure(onePage(stream(5, '/X Do '.repeat(50)), form))).toEqual({ pages: 1, textTokens: 200 });
  });
});

describe('a document that claims less than it contains', () => {
  test('a page of 400,000 characters in a small file is held for as all of them', () => {
    const characters = '7'.repeat(400_000);
    const file = onePage(stream(5, show(characters)));
    expect(file.length).toBeLessThan(3_000);
    expect(measure(file)).toEqual({ pages: 1, textTokens: 400_001 });
  });

  test('pages whose type is written with an escape are counted', () => {
    for (const type of ['/#50age', '/P#61ge']) {
      const pages = numbers(100).map((number) => page(number, '5 0 R', type));
      const file = pdf(CATALOG, FONT, tree(references(100), 1), ...pages, stream(5, show('abc')));
      expect(measure(file)).toEqual({ pages: 100, textTokens: 400 });
    }
  });

  test('a PDF may begin anywhere in the first kilobyte', () => {
    const file = onePage(stream(5, show('abc')));
    expect(measure(join('\n', file))).toEqual({ pages: 1, textTokens: 4 });
    expect(measure(join(' '.repeat(1_000), file))).toEqual({ pages: 1, textTokens: 4 });
  });

  test('what a page draws counts as a form, unless it says that it is an image @attack', () => {
    const draws = stream(5, '/X Do '.repeat(50));
    expect(measure(onePage(draws, stream(8, show('abc'))))).toEqual({ pages: 1, textTokens: 200 });
    const resources = object(6, '<< /XObject 7 0 R >>');
    const elsewhere = [resources, object(7, '<< /Y 9 0 R >>'), stream(9, show('abc'), '/Subtype /PS')];
    expect(measure(onePage(draws, ...elsewhere))).toEqual({ pages: 1, textTokens: 200 });
    const nested = stream(8, show('abc'), '/P << /Subtype /Image >>');
    expect(measure(onePage(draws, nested))).toEqual({ pages: 1, textTokens: 200 });
    const image = stream(8, show('abc'), '/P << /Q 1 >> /Subtype /Image');
    expect(measure(onePage(draws, image))).toEqual({ pages: 1, textTokens: 0 });
  });

  test('the last header before a stream is its own @attack', () => {
    const content = stream(5, show('abc'));
    const file = onePage(stream(5, ''), join('9 0 obj\nnull\n', content));
    expect(measure(file)).toEqual({ pages: 1, textTokens: 4 });
    const length = onePage(join(object(6, '1234'), content));
    expect(measure(length)).toEqual({ pages: 1, textTokens: 4 });
  });

  test('words in titles and comments hide nothing, and change nothing', () => {
    const title = '(Objects \\) of a stream (of 1 object))';
    const file = onePage(`% don't (\n`, object(6, `<< /Title ${title} >>`), stream(5, show('abc')));
    expect(measure(file)).toEqual({ pages: 1, textTokens: 4 });
  });

  const kids = Array.from({ length: 100 }, () => '4 0 R').join(' ');
  const form = (number: number, content: string) => stream(number, content, '/Subtype /Form');
  const cmap = (mappings: string) => [
    object(3, '<< /Type /Font /ToUnicode 6 0 R >>'),
    stream(6, mappings),
    stream(5, show('abc')),
  ];
  test.each<[string, Buffer | string]>([
    [
      'one page that is listed a hundred times',
      pdf(CATALOG, FONT, tree(kids, 100), page(4), stream(5, show('abc'))),
    ],
    [
      'pages listed elsewhere',
      pdf(CATALOG, object(2, '<< /Type /Pages /Kids 6 0 R >>'), object(6, `[${kids}]`), page(4)),
    ],
    ['a list with a comment in it', pdf(CATALOG, tree('4 %\n0 R', 1), page(4), stream(5, show('abc')))],
    ['contents listed elsewhere', onePage(object(5, '[6 0 R 6 0 R]'), stream(6, show('abc')))],
    [
      'contents that are also a list',
      onePage(stream(5, show('abc')), object(5, '[6 0 R]'), stream(6, show('abc'))),
    ],
    [
      'contents packed behind those that are written',
      onePage(stream(5, ''), stream(9, '5 0 [6 0 R]', '/Type /ObjStm')),
    ],
    ['forms that draw each other', onePage(stream(5, '/X Do'), form(8, '/Y Do /Y Do'), form(9, show('abc')))],
    [
      'a code that stands for a paragraph',
      onePage(...cmap(`beginbfchar <61> <${'0041'.repeat(50)}> endbfchar`)),
    ],
    ['a mapping with a comment in it', onePage(...cmap('beginbfchar <61> %\n<00410042> endbfchar'))],
    [
      'a mapping of ten million codes',
      onePage(...cmap(`beginbfrange ${'<00> <ff> <0041>'.repeat(40_000)} endbfrange`)),
    ],
    [
      'a glyph with the name of a word',
      onePage(object(6, '<< /Differences [1 /t_h_e_m] >>'), stream(5, show('abc'))),
    ],
    [
      'text that is repeated by name',
      onePage(object(6, '<< /Properties << /P << /ActualText (abc) >> >> >>'), stream(5, '')),
    ],
    ['an encrypted file', onePage(stream(5, show('abc')), 'trailer << /Encrypt 9 0 R >>')],
    ['an unknown filter', onePage(stream(5, show('abc'), '', 'LZWDecode'))],
    ['a filter that is written elsewhere', onePage(stream(5, show('abc'), '/Filter 9 0 R', ''))],
    ['a predictor', onePage(stream(5, show('abc'), '/DecodeParms << /Predictor 12 >>'))],
    ['a corrupt stream', onePage(stream(5, 'nothing', '/Filter /FlateDecode', ''))],
    ['a header out of sight', onePage(join(`9${' '.repeat(40)}`, stream(5, show('abc')).subarray(1)))],
    [
      'a subtype that is written elsewhere',
      onePage(stream(5, '/X Do'), stream(8, show('abc'), '/Subtype 7 0 R'), object(7, '/Form')),
    ],
    ...[
      '/P (xxxxxxxxxxxxxxxxxxxxxxxxxxxx 9 0 obj <<)',
      '%xxxxxxxxxxxxxxxxxxxxxxxxxxxx 9 0 obj <<\n',
      '/P (<< >>stream endstream 9 0 obj << )',
      '/P (xx\\) 9 0 obj <<)',
    ].map((hidden): [string, Buffer] => [
      `a header hidden by ${hidden}`,
      onePage(stream(5, ''), stream(5, show('abc'), hidden)),
    ]),
    ['a stream of many megabytes', onePage(stream(5, ' '.repeat(8_000_000)))],
    [
      'many streams of a megabyte each',
      pdf(...numbers(500).map((number) => stream(number, ' '.repeat(1e6), '/Type /ObjStm'))),
    ],
    ['no pages', pdf(CATALOG)],
    ['no PDF', Buffer.from('/Type /Page')],
    ['nothing', ''],
  ])('%s is unbounded @attack', (_, file) => {
    expect(measure(Buffer.from(file))).toBe(UNBOUNDED);
  });
});

/** The number of calls of a function that a file takes. */
function countCalls(spy: ReturnType<typeof vi.spyOn>, file: Buffer): number {
  measure(file);
  const { length } = spy.mock.calls;
  spy.mockRestore();
  return length;
}

test('a file of names is measured without a call for each name', () => {
  expect(countCalls(vi.spyOn(Number, 'parseInt'), pdf('#2f'.repeat(600_000)))).toBeLessThan(10);
});

test('a file of words is searched up to a limit', () => {
  const calls = countCalls(vi.spyOn(Buffer.prototype, 'indexOf'), pdf('stream '.repeat(3_400_000)));
  expect(calls).toBeLessThan(20_000);
});

const plainStreams = (count: number) => '10 0 obj<<>>stream\nendstream\n'.repeat(count);
const LARGE_MAPPING = `beginbfrange${'<0000><ffff><41>'.repeat(7)}endbf`;
const largeMappings = (count: number) =>
  numbers(count).map((number) => join(stream(number, LARGE_MAPPING), `/ToUnicode ${number} 0 R `));
const base85 = (length: number) => onePage(stream(5, 'z'.repeat(length), '', 'ASCII85Decode'));

describe('a document takes no more work than a request may take', () => {
  test.each<[string, Buffer]>([
    ['references to many streams', pdf(plainStreams(900), `/Contents[${'10 0 R '.repeat(320_000)}]`)],
    ['60 kilobytes of them', pdf(plainStreams(800), `/Contents[${'10 0 R '.repeat(3_500)}]`)],
    ['mappings of many codes', onePage(object(3, '/Type0'), ...largeMappings(250))],
    ['a thousand of them', onePage(object(3, '/Type0'), ...largeMappings(950))],
    ['counts', onePage('/Count 1 '.repeat(100_000))],
    ['streams of one number', onePage(plainStreams(15_000))],
    ['base 85', base85(20_000_000)],
  ])('%s beyond it are unbounded @attack', (_, file) => {
    const work = newWork();
    const whole = work.left;
    const size = measurePdf(join(file, page(4)).toString('base64'), work);
    expect({ size, isSpent: work.left < whole / 10 }).toEqual({ size: null, isSpent: true });
  });

  test('a count of a million digits is read as far as a number @attack', () => {
    expect(measure(onePage(stream(5, show('abc')), `/Count ${'1'.repeat(1_000_000)}`))).toEqual({
      pages: 1,
      textTokens: 4,
    });
  });

  test('a mapping to a list of any length is counted @attack', () => {
    const list = `beginbfrange <61> <62> [${'<0041> '.repeat(20_000)}] endbfrange`;
    const font = object(3, '<< /Type /Font /ToUnicode 6 0 R >>');
    expect(measure(onePage(font, stream(6, list), stream(5, show('abc'))))).toEqual({
      pages: 1,
      textTokens: 4,
    });
  });

  test('a report of 300 pages with ten megabytes of images is measured', () => {
    const line = `BT /F1 11 Tf 72 700 Td [(The comm) -12.5 (ittee publi) 3 (shes its findings) ] TJ ET 0 0 0 rg\n`;
    const pages = numbers(300).map((number) => page(number, `${number + 1_000} 0 R`));
    const contents = numbers(300).map((number) => stream(number + 1_000, line.repeat(45)));
    const image = stream(6, Buffer.alloc(10_000_000, 'stre'), '/Subtype /Image', 'DCTDecode');
    const others = numbers(2_000).map((number) =>
      object(number + 2_000, '<< /Type /Annot /Rect [1 2 3 4] >>'),
    );
    const file = pdf(CATALOG, FONT, tree(references(300), 300), ...pages, ...contents, ...others, image);
    expect(measure(file)).toEqual({ pages: 300, textTokens: 300 * 45 * 39 });
  });
});

/** The service runs in one event loop. Four times as much is a file of two megabytes, each of which made some search quadratic. */
test.each<[string, (count: number) => Buffer]>([
  ['digits', (count) => pdf('1'.repeat(19 * count))],
  ['references', (count) => pdf('1 0 R '.repeat(3 * count))],
  ['contents', (count) => pdf('/Contents '.repeat(2 * count))],
  ['lists', (count) => pdf('/Kids ['.repeat(3 * count))],
  ['counts', (count) => pdf('/Kids '.repeat(3 * count))],
  ['headers', (count) => pdf('1 0 obj '.repeat(2 * count))],
  ['streams', (count) => pdf('1 0 obj << >>\nstream\n'.repeat(count))],
  [
    'streams of one object',
    (count) => onePage(stream(5, show('abc')), ...Array(count / 10).fill(stream(10, 'x', '/X', ''))),
  ],
  ['objects to draw', (count) => pdf('/XObject <</X 1 0 R '.repeat(count))],
  [
    'lists of objects',
    (count) => pdf('/XObject 1 0 R', '<<', '/X 1 0 R '.repeat(2 * count), '<< /X 1 0 R '.repeat(count / 10)),
  ],
  ['brackets', (count) => pdf('()'.repeat(9 * count), 'stream')],
  ['strings', (count) => onePage(stream(5, '('.repeat(39 * count)))],
  ['numbers', (count) => onePage(stream(5, '<'.repeat(39 * count)))],
  [
    'mappings',
    (count) => onePage(object(3, '/ToUnicode 6 0 R'), stream(6, 'beginbfchar<61>'.repeat(2.5 * count))),
  ],
  [
    'lists of mappings',
    (count) =>
      onePage(object(3, '/ToUnicode 6 0 R'), stream(6, `beginbfrange${'<61><61>['.repeat(4 * count)}`)),
  ],
  ['text', (count) => onePage(stream(5, show('abc ').repeat(1.5 * count)))],
])('a file of %s is measured in linear time @attack', (_, makeFile) => {
  const growth = findGrowth((count) => {
    const file = makeFile(count);
    return () => measure(file);
  }, 25_000);
  expect(growth).toBeNull();
});
