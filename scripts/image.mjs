import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { enterProject, fail, npm, requireBuild, requireDependencies, step } from './steps.mjs';

/**
 * `npm run image -- FOLDER`: copies what a container image needs of a built checkout, and nothing else. The
 * Dockerfile and `npm --prefix lab run image:check` both use it.
 */

export const IMAGE_FOLDER = '.build/image';

/** In addition to the packages. */
const CONTENTS = [
  '.build/main.mjs',
  '.build/pages-thread.mjs',
  '.build/cli.mjs',
  '.next',
  'public',
  'docs',
  'widget/skill.md',
  'widget/templates/html',
  'prisma/migrations',
  'server',
  'next.config.mjs',
  'package.json',
];

const NOT_NEEDED =
  /^\.next\/(cache|dev|diagnostics|turbopack|types|trace)\b|^docs\/screenshots\/|\.(map|nft\.json)$/;
/** The rest of `server` is in the bundles. */
const isNeeded = (file) => (file.startsWith('server/') ? file.endsWith('.sql') : !NOT_NEEDED.test(file));

/** Optimises images, and there are none. */
const UNUSED = /^node_modules\/(@img|sharp)\//;
/** Guides, and all variants of Next's own bundle: its trace lists those that a production server loads. */
const NOT_FOLLOWED = /^node_modules\/next\/dist\/(docs|compiled\/next-server)\//;

/** Next's loader of modules names these in strings, which a trace cannot follow. */
const NAMED_IN_STRINGS = ['webpack', '@babel/runtime/package.json'].map(
  (name) => `node_modules/next/dist/compiled/${name}`,
);

export async function assembleImage(folder) {
  requireDependencies();
  requireBuild();
  if (folder === path.resolve(IMAGE_FOLDER)) rmSync(folder, { recursive: true, force: true });
  else if (existsSync(folder) && readdirSync(folder).length > 0) fail(`${folder} is not empty.`);
  await step('Copying what the image needs', async () => {
    const files = [...CONTENTS.flatMap(listFiles).filter(isNeeded), ...(await listPackageFiles())];
    for (const file of files) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      cpSync(file, path.join(folder, file), { verbatimSymlinks: true });
    }
    const sbom = await npm(
      'sbom',
      '--package-lock-only',
      '--omit=dev',
      '--sbom-format=cyclonedx',
      '--sbom-type=application',
    );
    writeFileSync(path.join(folder, 'sbom.cdx.json'), writeSbom(sbom.slice(sbom.indexOf('{'))));
  });
}

/** Without what npm invents for each run, and the name of this folder: the same sources make the same file. */
function writeSbom(text) {
  const { serialNumber, metadata, ...rest } = JSON.parse(text);
  const { timestamp, component, ...facts } = metadata;
  const { name } = JSON.parse(readFileSync('package.json', 'utf8'));
  return JSON.stringify({ ...rest, metadata: { ...facts, component: { ...component, name } } }, null, 2);
}

/** The files of packages that our bundles load, and those that Next lists for itself and for the pages. */
async function listPackageFiles() {
  const { nodeFileTrace } = (await import('next/dist/compiled/@vercel/nft/index.js')).default;
  const bundles = CONTENTS.filter((file) => file.startsWith('.build/'));
  const { fileList } = await nodeFileTrace(bundles, {
    ignore: (file) => NOT_FOLLOWED.test(file) || UNUSED.test(file),
  });
  const traces = ['.next/next-server.js.nft.json', ...listFiles('.next/server')].filter((file) =>
    file.endsWith('.nft.json'),
  );
  const listed = traces.flatMap((trace) =>
    JSON.parse(readFileSync(trace, 'utf8')).files.map((file) => path.join(path.dirname(trace), file)),
  );
  return [...new Set([...fileList, ...listed, ...NAMED_IN_STRINGS.flatMap(listFiles)])].filter(
    (file) => file.startsWith('node_modules/') && !UNUSED.test(file) && existsSync(file),
  );
}

/** Files and symbolic links, which are not followed. */
function listFiles(place) {
  if (statSync(place).isFile()) return [place];
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

if (import.meta.filename === path.resolve(process.argv[1])) {
  enterProject();
  const folder = path.resolve(process.argv[2] ?? IMAGE_FOLDER);
  await assembleImage(folder);
}
