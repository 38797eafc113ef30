import { measureInput, NO_DOCUMENTS, type TokenKind } from '../../server/gateway/protocols/measure-size';
import { CLAUDE_TOKENS, CORPUS } from '../../tests/gateway/tokens/corpus';
import { TOKENIZERS } from '../../tests/gateway/tokens/tokenizers';
import { RESULTS_BY_KIND } from '../holds/session';

/**
 * `npm run hold-ratio`: for texts of many kinds, the tokens that are held for, divided by the tokens that
 * each tokenizer makes. The last column estimates current Claude models at 1.3 times the published tokenizer; of what the
 * tools of agents return, it has no published count.
 */

const held = (text: string, kind: TokenKind): number =>
  measureInput([text], { tools: [], output: [] }).sizeOf(kind, NO_DOCUMENTS).largestInputTokens -
  measureInput([''], { tools: [], output: [] }).sizeOf(kind, NO_DOCUMENTS).largestInputTokens;
const ratio = (hold: number, tokens: number): string => (hold / tokens).toFixed(2);

console.log('| Text | o200k | cl100k, others | current Claude |\n|---|---|---|---|');
for (const [name, text] of Object.entries({ ...CORPUS, ...RESULTS_BY_KIND })) {
  const ofOpenai = Object.entries(TOKENIZERS).map(([kind, count]) =>
    ratio(held(text, kind === 'o200k' ? 'o200k' : 'openai'), count(text)),
  );
  const published = CLAUDE_TOKENS[name];
  const claude =
    published === undefined
      ? '–'
      : ratio(
          held(text, 'anthropic'),
          Math.max(published, Math.min(Buffer.byteLength(text), 1.3 * published)),
        );
  console.log(`| ${[name, ...ofOpenai, claude].join(' | ')} |`);
}
