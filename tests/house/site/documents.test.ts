import { readdirSync, readFileSync } from 'node:fs';
import { lexer, type Tokens } from 'marked';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { resolveLink } from '@/app/(site)/docs/resolve-link';
import { highlight } from '@/app/(site)/parts/highlight';
import { Markdown } from '@/app/(site)/parts/markdown';
import { GUIDES, readExample, readGuide, readSnippet } from '@/server/api/docs/guides';

const render = (text: string): string => renderToStaticMarkup(createElement(Markdown, { text, resolveLink }));

const documents = [
  'README.md',
  ...readdirSync('docs')
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];
const codes = documents.flatMap((file) =>
  lexer(readFileSync(file, 'utf8'))
    .filter((token): token is Tokens.Code => token.type === 'code')
    .map(({ lang = '', text }) => ({ lang, text })),
);

test('highlighted code is the same code, without style attributes that our content security policy blocks', () => {
  expect(codes.length).toBeGreaterThan(10);
  for (const { lang, text } of codes) {
    const pieces = highlight(text, lang);
    expect(pieces.map((line) => line.map((piece) => piece.text).join('')).join('\n')).toBe(text);
  }
  expect(
    highlight('const a = 1;', 'js')
      .flat()
      .map(({ className }) => className),
  ).toContain('text-accent');
  for (const file of documents) expect(render(readFileSync(file, 'utf8'))).not.toMatch(/ style="/);
});

test('HTML and scripts in a document are shown as text', () => {
  const shown = render(
    '<img src=x onerror=alert(1)>\n\nA <b>word</b>, [a link](javascript:alert(1)) and `<i>`',
  );
  expect(shown).not.toMatch(/<img|<b>|<i>|javascript:/);
  expect(shown).toContain('&lt;img src=x onerror=alert(1)&gt;');
  expect(shown).toContain('a link');
});

test('a link to another guide leads to its page, and a link into the repository is plain text', () => {
  expect(resolveLink('charges.md#receipts')).toBe('/docs/charges#receipts');
  expect(resolveLink('docs/charges.md')).toBe('/docs/charges');
  expect(resolveLink('../server/base/errors.ts')).toBeNull();
  expect(resolveLink('https://example.com/')).toBe('https://example.com/');
});

test('every guide is readable, and the quickstart finds its snippets in the clients guide', () => {
  for (const guide of GUIDES) expect(readGuide(guide)).toMatch(/^# /);
  const clients = readFileSync('docs/clients.md', 'utf8');
  const headings = [...clients.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
  expect(headings).toEqual(
    expect.arrayContaining([
      'OpenAI SDK',
      'Anthropic SDK',
      'Vercel AI SDK',
      'LangChain',
      'Claude Code',
      'curl',
    ]),
  );
  expect(readSnippet('curl', 'sh')).toMatch(/^curl /);
  expect(readExample()).toContain('Svc.init(');
});
