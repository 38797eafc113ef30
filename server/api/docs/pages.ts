import { ERROR_STATUS, type ErrorCode } from '../../base/errors';
import { ERROR_GUIDE } from '../openapi/error-guide';
import { GROUPS } from '../openapi/operation';
import { GUIDES, readGuide, readSkill } from './guides';
import { slugOf } from './slug';
import { writeGroup } from './write-reference';

/** The documentation as Markdown: for programs, for the search, and as one text. */

export type DocsPage = {
  /** As in its address: `/docs/` and the name. */
  name: string;
  title: string;
  description: string;
  read: () => Section[];
};

export type Section = {
  /** Its anchor on the page, or '' for the beginning. */
  id: string;
  title: string;
  /** With its heading. */
  text: string;
};

export const WEBHOOKS = {
  title: 'Webhook events',
  description:
    'Events that your backend receives. Each event is a signed POST request to your endpoint, with up to three attempts.',
};

/** The page that exists as Markdown only. */
export const SKILL = 'skill';

export const DOCS_PAGES: readonly DocsPage[] = [
  {
    name: SKILL,
    title: 'Integration in steps',
    description: 'For coding agents: from an empty folder to an app that is checked.',
    read: () => splitText('Integration in steps', readSkill()),
  },
  ...GUIDES.map((guide) => ({
    name: guide.slug,
    title: guide.title,
    description: guide.description,
    read: () => splitText(guide.title, readGuide(guide)),
  })),
  ...Object.entries({ ...GROUPS, webhooks: WEBHOOKS })
    .filter(([group]) => group !== 'document')
    .map(([group, described]) => ({
      ...described,
      name: `api/${group}`,
      read: () => [writeHead(described), ...writeGroup(group)],
    })),
  describeErrors(),
];

export const findDocsPage = (name: string): DocsPage | null =>
  DOCS_PAGES.find((page) => page.name === name) ?? null;

/** Its address on the site, without the origin. */
export const pathOf = ({ name }: DocsPage): string => (name === SKILL ? '/skill.md' : `/docs/${name}`);

export const writePage = (page: DocsPage): string =>
  `${page
    .read()
    .map(({ text }) => text.trim())
    .join('\n\n')}\n`;

const writeHead = ({ title, description }: { title: string; description: string }): Section => ({
  id: '',
  title,
  text: `# ${title}\n\n${description}`,
});

function describeErrors(): DocsPage {
  const described = { title: 'Errors', description: 'What every error code means and how to resolve it.' };
  const codes = Object.keys(ERROR_STATUS) as ErrorCode[];
  const read = () => [writeHead(described), ...codes.map(writeError)];
  return { ...described, name: 'errors', read };
}

function writeError(code: ErrorCode): Section {
  const { when, remedy } = ERROR_GUIDE[code];
  return { id: code, title: code, text: `## ${code}\n\nStatus ${ERROR_STATUS[code]}. ${when} ${remedy}` };
}

/** Splits Markdown at its headings. */
function splitText(title: string, text: string): Section[] {
  const sections: Section[] = [{ id: '', title, text: '' }];
  for (const line of text.split('\n')) {
    const [, heading] = /^#{2,3} (.+)$/.exec(line) ?? [];
    if (heading !== undefined)
      sections.push({ id: slugOf(heading), title: heading.replaceAll(/[`*]/g, ''), text: '' });
    const last = sections.at(-1);
    if (last !== undefined) last.text += `${line}\n`;
  }
  return sections;
}
