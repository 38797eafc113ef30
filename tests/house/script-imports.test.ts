import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** Scripts are plain JavaScript, and most run only by hand: a name that no longer exists would show then. */

const files = ['scripts', 'bench'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.mjs'))
    .map((file) => path.join(folder, file)),
);

const IMPORT = /^import \{([^}]*)\} from '(\.[^']*\.mjs)';/gm;
const EXPORT = /^export (?:async )?(?:function\*?|const|class) (\w+)/gm;

const exportsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(EXPORT)].map(([, name = '']) => name);

test('scripts import only what their neighbours export', () => {
  const missing = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(IMPORT)].flatMap(([, names = '', from = '']) => {
      const exported = exportsOf(path.join(path.dirname(file), from));
      const wanted = names.split(',').map((name) => name.trim().split(' as ')[0] ?? '');
      return wanted
        .filter((name) => name !== '' && !exported.includes(name))
        .map((name) => `${file}: ${name}`);
    }),
  );
  expect(files.length).toBeGreaterThan(50);
  expect(missing).toEqual([]);
});
