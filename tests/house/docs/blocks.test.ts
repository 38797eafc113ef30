import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { GUIDES } from '@/server/api/docs/guides';
import { listBlocks } from '../../harness/blocks';

/** Every block of code in a document runs in a test, which reads it with `readBlock`. */

const FOR_PARTNERS = [
  ...GUIDES.map(({ file }) => `docs/${file}`),
  'widget/skill.md',
  'widget/create/README.md',
  'widget/loader/README.md',
  'README.md',
];
/** `operator-commands.test.ts` reads all of their shell blocks. */
const FOR_OPERATORS = [
  ...readdirSync('docs')
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`)
    .filter((document) => !FOR_PARTNERS.includes(document)),
  'AGENTS.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'lab/README.md',
];

const CALL = /\breadBlock\(\s*(?:'([^'\n]*)'|"([^"\n]*)"),\s*(?:'([^'\n]*)'|"([^"\n]*)"),?\s*\)/g;
const calls = ['tests', 'e2e'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => readCalls(`${folder}/${file}`)),
);

function readCalls(file: string): { document: string; text: string }[] {
  const source = readFileSync(file, 'utf8');
  const found = [...source.matchAll(CALL)].map(([, a, b, c, d]) => ({
    document: a ?? b ?? '',
    text: (c ?? d ?? '').replaceAll('\\n', '\n'),
  }));
  const written = source.split(/(?<!function )\breadBlock\(/).length - 1;
  const isThis = file.endsWith('docs/blocks.test.ts');
  if (!isThis)
    expect([file, found.length], 'a call has two texts that are written out').toEqual([file, written]);
  return isThis ? [] : found;
}

const isRead = (document: string, code: string): boolean =>
  calls.some((call) => call.document === document && code.includes(call.text));

test.each([...FOR_PARTNERS, ...FOR_OPERATORS])('a test reads every block of %s', (document) => {
  const unread = listBlocks(document)
    .filter(({ language }) => language !== 'sh' || FOR_PARTNERS.includes(document))
    .filter(({ code }) => !isRead(document, code))
    .map(({ code }) => code.split('\n')[0]);
  expect(unread).toEqual([]);
});

test('every fence of a document opens or closes a block that is found', () => {
  for (const document of [...FOR_PARTNERS, ...FOR_OPERATORS]) {
    const fences = readFileSync(document, 'utf8').match(/^ *```/gm) ?? [];
    expect([document, fences.length]).toEqual([document, 2 * listBlocks(document).length]);
  }
});
