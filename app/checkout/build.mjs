import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/postcss';
import { build, context } from 'esbuild';
import postcss from 'postcss';

/**
 * Builds the scripts and styles of the checkout's two documents. They are smaller than pages of Next, and start
 * sooner: a user waits for both after a click in an app.
 */

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(here, '..', '..');
const target = path.join(root, 'public', 'v1', 'checkout');
const texts = path.join(root, 'texts', 'checkout');
const languages = (await readdir(texts))
  .map((file) => path.parse(file).name)
  .filter((name) => name !== 'index');

const styles = {
  name: 'styles',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path: from }) => {
      const { css } = await postcss([tailwind({ base: here })]).process(await readFile(from), { from });
      return { contents: css, loader: 'css' };
    });
  },
};

const OPTIONS = {
  absWorkingDir: root,
  outdir: target,
  entryNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  bundle: true,
  charset: 'utf8',
  target: 'es2022',
  jsx: 'automatic',
  // A third of React's size: half of the time until the first view was React's script.
  alias: {
    react: 'preact/compat',
    'react-dom': 'preact/compat',
    'react-dom/client': 'preact/compat/client',
    'react/jsx-runtime': 'preact/jsx-runtime',
  },
  loader: { '.woff2': 'file' },
  define: { 'process.env.NODE_ENV': '"production"' },
  minify: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'silent',
};

/** For `document.ts`: the gate's script, which is part of its document, and the names of the other files, one per language. */
const list = {
  name: 'list',
  setup({ onEnd }) {
    onEnd(async ({ metafile }) => {
      if (metafile === undefined) return;
      const names = Object.keys(metafile.outputs).map((file) => path.basename(file));
      const find = (start, end) => names.find((name) => name.startsWith(start) && name.endsWith(end));
      const { outputFiles } = await build({
        ...OPTIONS,
        entryPoints: [path.join(here, 'gate', 'gate-script.ts')],
        write: false,
      });
      const files = {
        gate: outputFiles[0].text,
        script: find('visit-script', '.js'),
        style: find('visit-script', '.css'),
        texts: Object.fromEntries(languages.map((name) => [name, find(`texts-${name}-`, '.js')])),
        font: find('geist-latin-wght-normal', '.woff2'),
      };
      await writeFile(path.join(target, 'files.json'), JSON.stringify(files));
    });
  },
};

const VISIT = {
  ...OPTIONS,
  entryPoints: {
    'visit-script': path.join(here, '[visit]', 'visit-script.tsx'),
    ...Object.fromEntries(languages.map((name) => [`texts-${name}`, path.join(texts, `${name}.ts`)])),
  },
  format: 'esm',
  plugins: [styles, list],
};

export async function watchCheckout() {
  const watched = await context(VISIT);
  await watched.rebuild();
  await watched.watch();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await rm(target, { recursive: true, force: true });
  await build(VISIT);
}
