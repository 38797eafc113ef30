import { describe, expect, test } from 'vitest';
import { readPdf } from './read-pdf';
import * as pdf from './write-pdf';

describe('the pages and the text of a PDF are found', () => {
  const text = 'Numbers 1,2,3 (and more) \\ text';
  test.each<[string, pdf.WrittenPdf]>([
    ['in an ordinary document', pdf.plainPdf(['one', 'two', text])],
    ['with an escaped type', pdf.plainPdf([text, text], { type: '/Type /P#61ge' })],
    ['after a line break', pdf.plainPdf([text], { before: '\n' })],
    ['when one page is listed 100 times', pdf.repeatedPagePdf(100, text)],
    ['when pages share a content stream', pdf.sharedContentPdf(40, text)],
    ['when a page lists its content many times', pdf.repeatedContentPdf(40, text)],
    ['when a page draws a form many times', pdf.formPdf(40, text)],
    ['in an object stream', pdf.objectStreamPdf(20, text)],
    ['in an object stream with an escaped type', pdf.objectStreamPdf(20, text, '/Type /Obj#53tm')],
    ['when compressed twice', pdf.twiceDeflatedPdf(text)],
    ['when not compressed', pdf.uncompressedPdf(text)],
  ])('%s', (_, { file, pages, text: expected }) => {
    expect(readPdf(file)).toEqual({ pages, text: expected });
  });

  test('only in PDFs', () => {
    expect(readPdf(Buffer.from('PK\x03\x04 a document of another kind'))).toBeNull();
  });
});
