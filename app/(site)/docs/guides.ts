import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { settings } from '@/server/env';

/** The guides of this repository that are for people who build on the service. */

export type Guide = { slug: string; file: string; title: string; description: string };

const GUIDES: readonly Guide[] = [
  {
    slug: 'widget',
    file: 'widget.md',
    title: 'The checkout widget',
    description: 'One script: sign-in, purchase, permission.',
  },
  {
    slug: 'sign-in',
    file: 'sign-in.md',
    title: 'Sign-in',
    description: 'How a user becomes a key, with and without the widget.',
  },
  {
    slug: 'webhooks',
    file: 'webhooks.md',
    title: 'Webhooks',
    description: 'Signed events for your backend.',
  },
  {
    slug: 'charges',
    file: 'charges.md',
    title: 'What is charged',
    description: 'Credits, permission, holds, receipts, refunds.',
  },
];

const ROOT = path.join(/* turbopackIgnore: true */ process.cwd());

/** The addresses that the documents of the repository are written with. */
const WRITTEN_ADDRESSES = /http:\/\/localhost:3000|https:\/\/YOUR-SERVICE/g;

/** Those whose file is there. */
export function guides(): Guide[] {
  return GUIDES.filter(({ file }) => existsSync(path.join(ROOT, 'docs', file)));
}

export function findGuide(slug: string): Guide | null {
  return guides().find((guide) => guide.slug === slug) ?? null;
}

export const readGuide = ({ file }: Guide): string => readDocument(`docs/${file}`);

/** What the README tells people to paste; a test runs every snippet. */
export function readClients(): string {
  const readme = readDocument('README.md');
  const section = readme.slice(readme.indexOf('## Use it from'), readme.indexOf('## I want to'));
  // A bold name at the start of a line is a heading on a page.
  return section.replace(/^## .*\n/, '').replace(/^\*\*(.+?)\*\*(?: (\(.+\)|.+))?$/gm, '## $1\n\n$2');
}

/** The code of the first snippet in a language, under a heading of `readClients`. */
export function readSnippet(heading: string, language: string): string {
  const text = readClients();
  const section = text.slice(text.indexOf(`## ${heading}\n`));
  return new RegExp(`\`\`\`${language}\\n(.+?)\`\`\``, 's').exec(section)?.[1] ?? '';
}

function readDocument(file: string): string {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  return text.replaceAll(WRITTEN_ADDRESSES, settings().BASE_URL);
}

/** Where a link of a document leads on this site; other files of the repository are not here. */
export function resolveLink(href: string): string | null {
  if (/^(https?:|mailto:|#|\/)/.test(href)) return href;
  const match = /(?:^|\/)([\w-]+\.md)(#.*)?$/.exec(href);
  const guide = guides().find(({ file }) => file === match?.[1]);
  return guide ? `/docs/${guide.slug}${match?.[2] ?? ''}` : null;
}
