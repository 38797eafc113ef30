import { expect, test } from 'vitest';
import { writeCsvRow } from './csv';

test('text that a spreadsheet would run is made harmless, numbers are left alone', () => {
  expect(writeCsvRow(['=HYPERLINK("x")', '+1+2', '-cmd', '@SUM(A1)', '\t=1', '-12.5', 7, true])).toBe(
    `"'=HYPERLINK(""x"")",'+1+2,'-cmd,'@SUM(A1),'\t=1,-12.5,7,true\r\n`,
  );
});

test('commas, quotes and line breaks stay inside their cell', () => {
  expect(writeCsvRow(['a,b', 'say "hi"', 'two\nlines', ''])).toBe('"a,b","say ""hi""","two\nlines",\r\n');
});
