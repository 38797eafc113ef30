import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { expect, test } from 'vitest';
import { seededRandom } from '../random';
import { countTokens } from './count-tokens';

test('counts as the reference implementation does', () => {
  const random = seededRandom();
  const reference = new Tiktoken(o200k);
  const alphabet = [
    'a',
    'b',
    'the ',
    'ing',
    '0',
    '12',
    '.',
    ', ',
    '\n',
    '  ',
    'é',
    '漢字',
    '😀',
    'ሰላም',
    'Q',
    '==',
  ];
  for (let n = 0; n < 500; n++) {
    const text = Array.from({ length: n % 60 }, () => alphabet[Math.floor(random() * alphabet.length)]).join(
      '',
    );
    expect(countTokens(text), text).toBe(reference.encode(text, [], []).length);
  }
});
