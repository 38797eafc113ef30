import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
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

/** Modules of the package, each with the most bytes that its import adds to those of the loader. */
const IN_PAGES = { index: 1500, page: 1000, fetch: 2000, device: 1000, react: 6000 };
const IN_BACKENDS = ['webhooks', 'server', 'ai'];
const TYPES = [...Object.keys(IN_PAGES), ...IN_BACKENDS, 'account', 'components', 'event-reader', 'provider'];
const IN_TSX = ['components', 'provider'];

await cp(path.join(here, 'buttons'), path.join(target, 'buttons'), { recursive: true });
await buildLoader();
await buildCreate();
const packagePath = await pack(loader, 'svc-checkout');
await pack(path.join(here, 'create'), 'create-svc-app');
await buildWidget(packagePath);

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
  for (const [name, limit] of Object.entries(IN_PAGES)) {
    // Server components import it too.
    const banner = name === 'react' && { banner: { js: '"use client";' } };
    const options = { target: 'es2020', jsx: 'automatic', ...banner };
    await buildModule(name, options);
    const whole = { format: 'esm', ...options, plugins: [shareModules('esm', ['index'])] };
    reportSize(`svc-checkout/${name}`, await bundle(`loader/${name}.ts`, whole), { goal: limit, limit });
  }
  const inNode = { platform: 'node', target: 'node20', minify: false };
  for (const name of IN_BACKENDS) await buildModule(name, inNode);
  const program = { ...inNode, format: 'esm', banner: { js: '#!/usr/bin/env node' } };
  for (const [name, entry] of Object.entries({ listen: 'listen', verify: 'verify/cli' }))
    await writeFile(path.join(dist, `${name}.js`), await bundle(`loader/${entry}.ts`, program));
  await writeTypes(dist);
}

async function buildModule(name, options) {
  for (const [format, extension] of [
    ['esm', 'js'],
    ['cjs', 'cjs'],
  ]) {
    const plugins = [shareModules(format, [...Object.keys(IN_PAGES), ...IN_BACKENDS])];
    const code = await bundle(`loader/${name}.ts`, { format, ...options, plugins });
    await writeFile(path.join(loader, 'dist', `${name}.${extension}`), code);
  }
}

/** Modules import each other and the packages of the app: one copy of each means one widget, and one React. */
function shareModules(format, shared) {
  const extension = format === 'esm' ? 'js' : 'cjs';
  return {
    name: 'share-modules',
    setup({ onResolve }) {
      onResolve({ filter: /^\.\/\w+\.js$/ }, ({ path: given }) => {
        const name = given.slice(2, -3);
        return shared.includes(name) ? { path: `./${name}.${extension}`, external: true } : null;
      });
      onResolve({ filter: /^(react|@ai-sdk)(\/|$)/ }, ({ path: given }) => ({ path: given, external: true }));
    },
  };
}

async function writeTypes(dist) {
  const sources = Object.fromEntries(
    TYPES.map((name) => [name, declare(path.join(loader, `${name}.ts${IN_TSX.includes(name) ? 'x' : ''}`))]),
  );
  for (const [name, text] of Object.entries({ ...sources, api: types })) {
    await writeFile(path.join(dist, `${name}.d.ts`), text);
    await writeFile(path.join(dist, `${name}.d.cts`), text.replaceAll(/'(\.\/[\w-]+)\.js'/g, "'$1.cjs'"));
  }
}

/** The program with its templates. An extension cannot import packages, so its template has the files. */
async function buildCreate() {
  const dist = path.join(here, 'create', 'dist');
  await rm(dist, { recursive: true, force: true });
  await cp(path.join(here, 'templates'), path.join(dist, 'templates'), { recursive: true });
  const options = { format: 'esm', platform: 'node', target: 'node20', minify: false };
  const program = await bundle('create/create.ts', { ...options, banner: { js: '#!/usr/bin/env node' } });
  await writeFile(path.join(dist, 'create.js'), program);
  const copied = path.join(dist, 'templates/extension/svc');
  await mkdir(copied);
  for (const name of ['index.js', 'page.js', 'fetch.js', 'device.js'])
    await cp(path.join(loader, 'dist', name), path.join(copied, name));
}

/** A package as npm installs it from an address; a lock file notes its hash, so a version stays what it is. */
async function pack(source, name) {
  const { version: of } = JSON.parse(await readFile(path.join(source, 'package.json'), 'utf8'));
  const folder = path.join(target, of);
  await mkdir(folder, { recursive: true });
  const packed = await npm('pack', source, '--ignore-scripts', '--silent', '--pack-destination', folder);
  await rename(path.join(folder, packed.trim()), path.join(folder, `${name}.tgz`));
  return `/v1/${of}/${name}.tgz`;
}

async function npm(...args) {
  const [program, ...first] = process.env.npm_execpath
    ? [process.execPath, process.env.npm_execpath]
    : ['npm'];
  const { stdout } = await promisify(execFile)(program, [...first, ...args]);
  return stdout;
}

function declare(file) {
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(readFileSync(file, 'utf8'), {
    fileName: file,
    reportDiagnostics: true,
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2020,
      jsx: ts.JsxEmit.ReactJSX,
    },
  });
  for (const { messageText } of diagnostics)
    throw new Error(`${file}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
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
