import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import ts from 'typescript';

/**
 * Builds the browser script (the address partners paste, and an immutable copy per version), its
 * types, and the loader package.
 */

const here = path.dirname(fileURLToPath(import.meta.url));
const version = (await readFile(path.join(here, 'version'), 'utf8')).trim();
const types = await readFile(path.join(here, 'api.ts'), 'utf8');

const target = path.join(here, '..', 'public', 'v1');
const loader = path.join(here, 'loader');

await buildLoader();
await buildWidget(await packLoader());

async function buildWidget(packagePath) {
  const script = await bundle('index.ts', {
    format: 'iife',
    target: 'es2020',
    define: {
      SVC_VERSION: JSON.stringify(version),
      // `server/base/http/widget-files.ts` replaces it when it serves the script.
      SVC_CHECKOUT_URL: '"__SVC_CHECKOUT_URL__"',
    },
    banner: { js: `/* svc checkout widget ${version} */` },
  });
  const gzip = reportSize(`widget ${version}`, script, { goal: 12_000, limit: 15_000 });
  const integrity = `sha384-${createHash('sha384').update(script).digest('base64')}`;
  // Earlier versions stay: somebody may have pinned one.
  await mkdir(path.join(target, version), { recursive: true });
  await writeFile(path.join(target, 'svc.js'), script);
  await writeFile(path.join(target, version, 'svc.js'), script);
  await writeFile(path.join(target, 'svc.d.ts'), globalTypes());
  const about = {
    version,
    path: `/v1/${version}/svc.js`,
    integrity,
    gzip_bytes: gzip,
    package: packagePath,
  };
  await writeFile(path.join(target, 'svc.json'), `${JSON.stringify(about, null, 2)}\n`);
}

/** For pages that paste the script: `/// <reference path="svc.d.ts" />` makes `Svc` known. */
function globalTypes() {
  return `${types}\ndeclare global {\n  const Svc: SvcWidget;\n  interface Window {\n    Svc?: SvcWidget;\n  }\n}\n`;
}

async function buildLoader() {
  const dist = path.join(loader, 'dist');
  await rm(dist, { recursive: true, force: true });
  await mkdir(dist, { recursive: true });
  for (const name of ['index', 'react']) {
    // The hook imports the loader: one copy of it means one shared promise.
    const code = await bundle(`loader/${name}.ts`, {
      format: 'esm',
      target: 'es2020',
      external: ['react', './index.js'],
    });
    if (name === 'index') reportSize('loader', code, { goal: 1500, limit: 1500 });
    await writeFile(path.join(dist, `${name}.js`), code);
    await writeFile(path.join(dist, `${name}.d.ts`), declare(path.join(loader, `${name}.ts`)));
  }
  await writeFile(path.join(dist, 'api.d.ts'), types);
  await buildForBackends(dist);
}

/** The part of the package that runs in Node: the verification of webhooks, and the programs `svc-listen` and `svc-verify`. */
async function buildForBackends(dist) {
  const options = { format: 'esm', platform: 'node', target: 'node20', minify: false };
  await writeFile(path.join(dist, 'webhooks.js'), await bundle('loader/webhooks.ts', options));
  await writeFile(path.join(dist, 'webhooks.d.ts'), declare(path.join(loader, 'webhooks.ts')));
  const program = { ...options, banner: { js: '#!/usr/bin/env node' } };
  for (const [name, entry] of Object.entries({ listen: 'listen', verify: 'verify/cli' }))
    await writeFile(path.join(dist, `${name}.js`), await bundle(`loader/${entry}.ts`, program));
}

/** The package as npm installs it from an address; a lock file notes its hash, so a version stays what it is. */
async function packLoader() {
  const { version: of } = JSON.parse(await readFile(path.join(loader, 'package.json'), 'utf8'));
  const folder = path.join(target, of);
  await mkdir(folder, { recursive: true });
  const packed = await npm('pack', loader, '--ignore-scripts', '--silent', '--pack-destination', folder);
  await rename(path.join(folder, packed.trim()), path.join(folder, 'svc-checkout.tgz'));
  return `/v1/${of}/svc-checkout.tgz`;
}

async function npm(...args) {
  const [program, ...first] = process.env.npm_execpath
    ? [process.execPath, process.env.npm_execpath]
    : ['npm'];
  const { stdout } = await promisify(execFile)(program, [...first, ...args]);
  return stdout;
}

function declare(file) {
  const { outputText } = ts.transpileDeclaration(readFileSync(file, 'utf8'), {
    fileName: file,
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2020 },
  });
  return outputText.replaceAll("'../api'", "'./api.js'");
}

async function bundle(entry, options) {
  const { outputFiles } = await build({
    entryPoints: [path.join(here, entry)],
    bundle: true,
    minify: true,
    write: false,
    charset: 'utf8',
    legalComments: 'none',
    ...options,
  });
  return outputFiles[0].contents;
}

function reportSize(name, code, { goal, limit }) {
  const bytes = gzipSync(code, { level: 9 }).length;
  const kB = (count) => `${(count / 1000).toFixed(2)} kB`;
  console.log(`${name}: ${kB(bytes)} gzip (goal ${kB(goal)}, limit ${kB(limit)})`);
  if (bytes <= limit) return bytes;
  console.error(`${name} is larger than its limit: what was added last costs every page that uses it.`);
  process.exit(1);
}
