import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const architecture = readFileSync('docs/architecture.md', 'utf8');

test('the architecture guide gives a reason for every dependency, and lists no other package', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object };
  const table = architecture.slice(
    architecture.indexOf('## Dependencies'),
    architecture.indexOf('\nDevelopment:'),
  );
  const rows = [...table.matchAll(/^\| (.+?) \| (.+) \|$/gm)].slice(1);
  const listed = rows.flatMap(([, names = '']) => names.split(', '));
  expect(listed.sort()).toEqual(Object.keys(dependencies).sort());
});

const documents = [
  'README.md',
  'AGENTS.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...readdirSync('docs')
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];

test.each(documents)('every file and folder that %s names exists', (document) => {
  const text = readFileSync(document, 'utf8');
  const quoted = [
    ...text.matchAll(/`((?:app|server|prisma|widget|scripts|docs|tests|e2e|lab)\/[\w./()[\]-]+)`/g),
  ];
  const linked = [...text.matchAll(/\]\(([\w./-]+\.(?:md|example|png))(?:#.*?)?\)/g)];
  const named = [
    ...quoted.map(([, file = '']) => file),
    ...linked.map(([, file = '']) => path.join(path.dirname(document), file)),
  ];
  expect(named.filter((file) => !existsSync(file) && !existsSync(`${file}.ts`))).toEqual([]);
});

const headings = (file: string): string[] =>
  [...withoutFences(file).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

const withoutFences = (file: string): string => readFileSync(file, 'utf8').replaceAll(/^```.*?^```/gms, '');

test.each([...documents, 'deploy/prometheus/runbooks.md'])(
  'every section that %s links to exists',
  (document) => {
    const links = [...readFileSync(document, 'utf8').matchAll(/\]\(([\w./-]*\.md)?#([\w-]+)\)/g)];
    const broken = links.filter(([, file, section = '']) => {
      const target = file === undefined ? document : path.join(path.dirname(document), file);
      return !headings(target).includes(section);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  },
);
