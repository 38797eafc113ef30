import { expect, test } from 'vitest';
import { type CsvCell, csvResponse, writeCsvRow } from './csv';

test('text that a spreadsheet would run is made harmless, and numbers stay as they are', () => {
  expect(writeCsvRow(['=HYPERLINK("x")', '+1+2', '-cmd', '@SUM(A1)', '\t=1', '-12.5', 7, true])).toBe(
    `"'=HYPERLINK(""x"")",'+1+2,'-cmd,'@SUM(A1),'\t=1,-12.5,7,true\r\n`,
  );
});

test('so is text whose first character a spreadsheet may read as one of those', () => {
  for (const first of '＝＋－＠⁼﹢﹣﹫\n\r\t') expect(writeCsvRow([`${first}SUM(A1)`])).toMatch(/^"?'/);
});

test('commas, quotes and line breaks stay inside their cell', () => {
  expect(writeCsvRow(['a,b', 'say "hi"', 'two\nlines', ''])).toBe('"a,b","say ""hi""","two\nlines",\r\n');
});

test('a download is written as it is read, and stops reading when the client disconnects', async () => {
  let isStopped = false;
  async function* portions(): AsyncGenerator<CsvCell[][]> {
    try {
      for (let n = 0; ; n++) yield [[n]];
    } finally {
      isStopped = true;
    }
  }
  const reader = (await csvResponse('x.csv', ['n'], portions())).body?.getReader();
  const read = async () =>
    new TextDecoder('utf-8', { ignoreBOM: true }).decode((await reader?.read())?.value);
  expect(await read()).toBe('\ufeffn\r\n');
  expect(await read()).toBe('0\r\n');
  await reader?.cancel();
  expect(isStopped).toBe(true);
});

test('a download whose first rows cannot be read fails before the response starts', async () => {
  async function* portions(): AsyncGenerator<CsvCell[][]> {
    yield await Promise.reject(new Error('The rows are not to be had'));
  }
  await expect(csvResponse('x.csv', ['n'], portions())).rejects.toThrow('not to be had');
});
