import { readFileSync } from 'node:fs';
import path from 'node:path';
import { settings } from '../../base/env';

/** The guides of this repository for people who build on the service, in reading order. */

export type Guide = { slug: string; file: string; title: string; description: string };

export const GUIDES: readonly Guide[] = [
  {
    slug: 'recipes',
    file: 'recipes.md',
    title: 'Recipes',
    description: 'From a template to a published app, for each framework and platform.',
  },
  {
    slug: 'agents',
    file: 'agents.md',
    title: 'Coding agents',
    description: 'A skill, Markdown pages and an MCP server for agents that write your integration.',
  },
  {
    slug: 'clients',
    file: 'clients.md',
    title: 'Clients',
    description: 'The same request from every client.',
  },
  {
    slug: 'media',
    file: 'media.md',
    title: 'Images, audio and video',
    description:
      'Pictures and films from text and from pictures, transcripts of recordings, and what they cost.',
  },
  {
    slug: 'batches',
    file: 'batches.md',
    title: 'Batches',
    description: 'Many requests within a day, at half the price.',
  },
  {
    slug: 'widget',
    file: 'widget.md',
    title: 'The checkout widget',
    description: 'One script for sign-in, purchases and allowances.',
  },
  {
    slug: 'sign-in',
    file: 'sign-in.md',
    title: 'Sign-in',
    description: 'How your app gets a user key, with and without the widget.',
  },
  {
    slug: 'terminals',
    file: 'terminals.md',
    title: 'Terminals and devices',
    description: 'Sign-in without a web page: OAuth clients, device codes, and what to show after a 402.',
  },
  {
    slug: 'keys',
    file: 'keys.md',
    title: 'User keys',
    description: 'Their format, restrictions, and what happens when one leaks.',
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
    description: 'Credits, allowances, holds, receipts and refunds.',
  },
  {
    slug: 'verify',
    file: 'verify.md',
    title: 'Verifying charges',
    description: 'Signed receipts and daily statements, and how to check them.',
  },
  {
    slug: 'limits',
    file: 'limits.md',
    title: 'Spending limits',
    description: 'What users limit or stop, and what your app then receives.',
  },
  {
    slug: 'payouts',
    file: 'payouts.md',
    title: 'Payouts',
    description: 'When earnings mature, what reverses them, and how a team is paid.',
  },
  {
    slug: 'teams',
    file: 'teams.md',
    title: 'Teams',
    description: 'Roles, invitations, alerts and the audit log.',
  },
  {
    slug: 'data',
    file: 'data.md',
    title: 'Your data',
    description: 'Which providers see a request, what is stored, and the file with all of it.',
  },
];

const ROOT = path.join(/* turbopackIgnore: true */ process.cwd());

/** Placeholder addresses in the guides, replaced by the address of this installation. */
const WRITTEN_ADDRESSES = /http:\/\/localhost:3000|https:\/\/YOUR-SERVICE/g;

export function findGuide(slug: string): Guide | null {
  return GUIDES.find((guide) => guide.slug === slug) ?? null;
}

export const readGuide = ({ file }: Guide): string => readDocument(`docs/${file}`);

/** The code of the first snippet in a language, under a heading of the clients guide. */
export function readSnippet(heading: string, language: string): string {
  const text = readDocument('docs/clients.md');
  const section = text.slice(text.indexOf(`## ${heading}\n`));
  return new RegExp(`\`\`\`${language}\\n(.+?)\`\`\``, 's').exec(section)?.[1] ?? '';
}

/** Takes a coding agent through an integration. */
export const readSkill = (): string => readDocument('widget/skill.md');

/** The page of the template without a framework. */
export const readExample = (): string => readDocument('widget/templates/html/index.html');

function readDocument(file: string): string {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  return text.replaceAll(WRITTEN_ADDRESSES, settings().BASE_URL);
}
