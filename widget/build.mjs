import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** Builds the browser script: the address partners paste, and an immutable copy per version. */

const MAXIMUM_BYTES = 15_000;

const here = path.dirname(fileURLToPath(import.meta.url));
const version = (await readFile(path.join(here, 'version'), 'utf8')).trim();

const { outputFiles } = await build({
  entryPoints: [path.join(here, 'index.ts')],
  bundle: true,
  minify: true,
  write: false,
  format: 'iife',
  target: 'es2020',
  charset: 'utf8',
  legalComments: 'none',
  define: { SVC_VERSION: JSON.stringify(version) },
  banner: { js: `/* svc checkout widget ${version} */` },
});
const [script] = outputFiles;
const bytes = gzipSync(script.contents, { level: 9 }).length;
console.log(`widget ${version}: ${(bytes / 1000).toFixed(1)} kB gzip (at most ${MAXIMUM_BYTES / 1000})`);
if (bytes > MAXIMUM_BYTES) process.exit(1);

const target = path.join(here, '..', 'public', 'v1');
await mkdir(path.join(target, version), { recursive: true });
await writeFile(path.join(target, 'svc.js'), script.contents);
await writeFile(path.join(target, version, 'svc.js'), script.contents);
