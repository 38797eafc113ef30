import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { assembleImage, IMAGE_FOLDER } from '../../scripts/image.mjs';
import { bundle, enterProject, fail } from '../../scripts/steps.mjs';

/**
 * `npm run image:check`: runs the files of the container image as the Dockerfile says, without Docker. They are
 * on a read-only root, as an unprivileged user without a network, and only the database is outside. The files are
 * those of this checkout's build; with --build, the first stage of the Dockerfile makes them, from an `npm ci`.
 */

/** `nobody`, on the machine. In the sandbox, it is the user of the Dockerfile. */
const UNPRIVILEGED = { uid: 65534, gid: 65534 };
const PATH = '/opt/node/bin:/usr/local/bin:/usr/bin:/bin';

/** Debian's programs, and this Node. */
const SYSTEM = [
  '--unshare-all',
  '--die-with-parent',
  '--new-session',
  '--clearenv',
  '--setenv',
  'PATH',
  PATH,
  '--ro-bind',
  '/usr',
  '/usr',
  '--symlink',
  'usr/bin',
  '/bin',
  '--symlink',
  'usr/lib',
  '/lib',
  '--symlink',
  'usr/lib64',
  '/lib64',
  '--proc',
  '/proc',
  '--dev',
  '/dev',
  '--ro-bind',
  path.resolve(process.execPath, '../..'),
  '/opt/node',
];

enterProject();
for (const program of ['bwrap', 'tini'])
  if (spawnSync(program, ['--version']).error)
    fail(`${program} is not installed. On Debian: apt-get install bubblewrap tini`);
const [buildStage, lastStage] = readStages();
const folder = mkdtempSync(path.join(tmpdir(), 'svc-image-'));
process.once('exit', () => rmSync(folder, { recursive: true }));
chmodSync(folder, 0o755);
const files = process.argv.includes('--build') ? await runBuildStage() : path.resolve(IMAGE_FOLDER);
if (!process.argv.includes('--build')) await assembleImage(files);
process.exitCode = await checkFiles(files);

/** The instructions of each stage of the Dockerfile, as name and rest. */
function readStages() {
  const lines = readFileSync('Dockerfile', 'utf8').split('\n');
  const instructions = lines.flatMap((line) => {
    const [, name, rest] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, rest }];
  });
  const last = instructions.findLastIndex(({ name }) => name === 'FROM');
  return [instructions.slice(0, last), instructions.slice(last)];
}

// ── The first stage ──────────────────────────────────────────────────────────────────────────

/** Returns the folder with the files of the image. */
async function runBuildStage() {
  const [source, image] = ['src', 'image'].map((name) => path.join(folder, name));
  for (const made of [source, image]) mkdirSync(made);
  for (const { name, rest } of buildStage) {
    if (name === 'COPY') copyContext(rest.split(' ').slice(0, -1), source);
    if (name === 'RUN') await runBuildCommand(rest.replace(/--mount=\S+ /g, ''), source, image);
  }
  return image;
}

/** What `.dockerignore` lets in: of the patterns that match a file or a folder above it, the last one decides. */
function copyContext(places, target) {
  const patterns = readFileSync('.dockerignore', 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ isKept: line.startsWith('!'), expression: toExpression(line.replace('!', '')) }));
  const isKept = (file) => patterns.findLast(({ expression }) => expression.test(file))?.isKept ?? true;
  const hasKept = (file) => patterns.some(({ expression }) => expression.source.startsWith(`^${file}\\/`));
  const filter = (source) => {
    const file = path.relative('', source);
    return file === '' || isKept(file) || hasKept(file);
  };
  for (const place of places) cpSync(place, path.join(target, place), { recursive: true, filter });
}

function toExpression(pattern) {
  const source = pattern
    .replaceAll('.', '\\.')
    .replaceAll('/', '\\/')
    .replaceAll('**\\/', '(.*\\/)?')
    .replace(/(?<!\.)\*/g, '[^/]*');
  return new RegExp(`^${source}(/|$)`);
}

async function runBuildCommand(command, source, image) {
  console.log(`RUN ${command}`);
  const npmSettings = path.join(homedir(), '.npmrc');
  const code = await runInSandbox([
    '--share-net',
    '--ro-bind',
    '/etc',
    '/etc',
    '--uid',
    '0',
    '--gid',
    '0',
    '--setenv',
    'HOME',
    '/root',
    '--tmpfs',
    '/root',
    '--bind',
    source,
    '/src',
    '--bind',
    image,
    '/image',
    '--chdir',
    '/src',
    '--dir',
    '/tmp',
    ...(existsSync(npmSettings) ? ['--ro-bind', npmSettings, '/root/.npmrc'] : []),
    '--',
    'sh',
    '-c',
    command,
  ]);
  if (code !== 0) fail(`The command failed with exit code ${code}.`);
}

// ── The last stage ───────────────────────────────────────────────────────────────────────────

async function checkFiles(files) {
  const database = await startDatabase();
  try {
    return await runProbe(files, database.url);
  } finally {
    await database.stop();
  }
}

function runProbe(files, databaseUrl) {
  const find = (wanted) => lastStage.find(({ name }) => name === wanted)?.rest ?? fail(`No ${wanted}`);
  const [uid, gid] = find('USER').split(':');
  const start = [...JSON.parse(find('ENTRYPOINT')), ...JSON.parse(find('CMD'))];
  const healthCheck = JSON.parse(find('HEALTHCHECK').replace(/^.* CMD /, ''));
  const settings = {
    ...Object.fromEntries(lastStage.flatMap(({ name, rest }) => (name === 'ENV' ? [rest.split('=')] : []))),
    DATABASE_URL: databaseUrl,
    AUTH_SECRET: randomBytes(32).toString('base64'),
    MIGRATE: 'never',
    SANDBOX: 'open',
  };
  const home = find('WORKDIR');
  return runInSandbox(
    [
      '--uid',
      uid,
      '--gid',
      gid,
      '--tmpfs',
      '/tmp',
      '--ro-bind',
      files,
      home,
      '--chdir',
      home,
      '--ro-bind',
      path.join(folder, 'database'),
      '/run/postgresql',
      '--ro-bind',
      path.resolve('lab/image/image-probe.mjs'),
      '/probe.mjs',
      '--ro-bind',
      path.resolve('deploy/svc'),
      '/svc',
      '--remount-ro',
      '/',
      ...Object.entries(settings).flatMap(([name, value]) => ['--setenv', name, value]),
      '--',
      'node',
      '/probe.mjs',
      JSON.stringify({ start, healthCheck, uid: Number(uid) }),
    ],
    process.getuid() === 0 ? UNPRIVILEGED : {},
  );
}

async function runInSandbox(options, account = {}) {
  const child = spawn('bwrap', [...SYSTEM, ...options], {
    stdio: ['ignore', 'inherit', 'inherit'],
    ...account,
  });
  const [code] = await once(child, 'exit');
  return code ?? 1;
}

/** An empty database, which the sandbox reaches through a socket, because it has no network. */
async function startDatabase() {
  await bundle('tests/harness/serve-database.ts', 'serve-database');
  const server = spawn(process.execPath, ['.build/serve-database.mjs'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: server.stdout }), 'line');
  const { serverUrl } = JSON.parse(line);
  const name = `test_image_${randomBytes(6).toString('hex')}`;
  const run = async (sql) => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    await client.query(sql);
    await client.end();
  };
  await run(`CREATE DATABASE ${name}`);
  const { hostname, port, username, password } = new URL(serverUrl);
  const forwarder = createServer((inner) => {
    const outer = connect(port, hostname);
    for (const socket of [inner, outer]) socket.on('error', () => {});
    inner.pipe(outer).pipe(inner);
  });
  const socket = path.join(folder, 'database/.s.PGSQL.5432');
  mkdirSync(path.dirname(socket));
  await once(forwarder.listen(socket), 'listening');
  chmodSync(socket, 0o777);
  return {
    url: `postgres://${username}:${password}@localhost/${name}?host=/run/postgresql`,
    async stop() {
      forwarder.close();
      await run(`DROP DATABASE ${name} WITH (FORCE)`);
      server.stdin.end();
      await once(server, 'exit');
    },
  };
}
