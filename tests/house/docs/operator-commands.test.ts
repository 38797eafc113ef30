import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pool } from '@/server/base/db';
import type { PayoutState } from '@/server/ledger/payouts';
import { readCommand } from '@/server/operator/cli/run';
import type { PaymentStatus } from '@/server/payments/checkout/payment';
import { newDatabase } from '../../harness';
import { listBlocks, readBlock } from '../../harness/blocks';

/** The commands and files that the guides for operators and developers show: they exist, with these words and options. */

const scripts = (folder: string): object =>
  JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')).scripts;
const DOCUMENTS = [
  ...readdirSync('docs')
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
  'AGENTS.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'lab/README.md',
];
const FOR_OPERATORS_IN_OTHER_GUIDES = [
  readBlock('docs/catalogue.md', 'npm run catalog'),
  readBlock('docs/payouts.md', 'payouts list'),
  readBlock('README.md', 'npm start'),
];
const shown = [
  ...DOCUMENTS.flatMap(listBlocks)
    .filter(({ language }) => language === 'sh')
    .map(({ code }) => code),
  ...FOR_OPERATORS_IN_OTHER_GUIDES,
];
const lines = shown.flatMap((code) => code.split('\n')).map((line) => line.replace(/\s+# .*/, ''));

const wordsOf = (text: string): string[] =>
  (text.match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? []).map((word) => word.replaceAll(/^["']|["']$/g, ''));

/** What follows a program, up to the end of its command. */
const callsOf = (program: RegExp): string[][] =>
  lines.flatMap((line) => {
    const [, given] = new RegExp(`${program.source} ([^&|>]+)`).exec(line) ?? [];
    return given === undefined ? [] : [wordsOf(given)];
  });

test('every shell block is one that a shell can read', () => {
  for (const code of shown) execFileSync('sh', ['-n'], { input: code, stdio: ['pipe', 'ignore', 'pipe'] });
});

test('every command of svc exists, with the arguments and options that a guide gives it', () => {
  const calls = [...callsOf(/npm run svc --/), ...callsOf(/svc-1 svc/), ...callsOf(/deploy\/svc -- svc/)];
  expect(calls.length).toBeGreaterThan(25);
  for (const words of calls) expect(() => readCommand(words), words.join(' ')).not.toThrow();
});

test('every script of npm exists', () => {
  const own = callsOf(/(?<!\S)npm run/).map(([name = '']) => name);
  expect(own.length).toBeGreaterThan(20);
  expect(own.filter((name) => !(name in scripts('.')))).toEqual([]);
  const ofLab = callsOf(/npm --prefix lab run/).map(([name = '']) => name);
  expect(ofLab.length).toBeGreaterThan(2);
  expect(ofLab.filter((name) => !(name in scripts('lab')))).toEqual([]);
  const short = lines
    .map((line) => /(?:^|\s)npm (start|test)\b/.exec(line)?.[1])
    .filter((name) => name !== undefined);
  expect(short.filter((name) => !(name in scripts('.')))).toEqual([]);
});

test('every file of the repository that a command names exists', () => {
  const named = lines.flatMap((line) => line.match(/(?<!\S)(?:deploy|server)\/[\w./@-]+/g) ?? []);
  const files = named.filter((file) => file !== 'deploy/svc');
  expect(files.length).toBeGreaterThan(3);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});

test('the services that Docker Compose starts exist', () => {
  const compose = readFileSync('compose.yaml', 'utf8');
  const named = lines
    .filter((line) => line.startsWith('docker compose'))
    .flatMap((line) => line.match(/\bsvc-\d\b|\bmigrate\b/g) ?? []);
  expect(new Set(named)).toEqual(new Set(['svc-1', 'svc-2', 'migrate']));
  for (const name of named) expect(compose).toMatch(new RegExp(`^  ${name}:`, 'm'));
  for (const [, name] of readBlock('docs/deploying.md', 'POSTGRES_PASSWORD=').matchAll(/^(\w+)=/gm))
    expect(compose).toMatch(new RegExp(`\\$\\{${name}\\b|environment: ${name}$`, 'm'));
});

test('the values for the chart are values of the chart, and its settings are settings', () => {
  const chart = readFileSync('deploy/helm/values.yaml', 'utf8');
  const settings = readFileSync('.env.example', 'utf8');
  for (const [, indent = '', name] of readBlock('docs/deploying.md', 'repository:').matchAll(
    /^( *)(\w+):/gm,
  )) {
    const isSetting = /^[A-Z_]+$/.test(name ?? '');
    expect(isSetting ? settings : chart).toMatch(
      new RegExp(isSetting ? `\\b${name}=` : `^${indent}${name}:`, 'm'),
    );
  }
});

test('the query for old transactions runs', async () => {
  await newDatabase();
  const { rows } = await pool().query(readBlock('docs/deploying.md', 'pg_stat_activity'));
  expect(rows).toEqual([]);
});

test('the line of the access log has fields that the service writes', () => {
  const line = JSON.parse(readBlock('docs/operating.md', '"duration_ms"'));
  const written = ['server/base/log.ts', 'server/process/access-log.ts']
    .map((file) => readFileSync(file, 'utf8'))
    .join('');
  const ofPino = ['level', 'time', 'msg'];
  expect(
    Object.keys(line).filter((name) => !ofPino.includes(name) && !new RegExp(`\\b${name}\\b`).test(written)),
  ).toEqual([]);
});

test('the diagrams name every state of a payment and of a payout, and every folder that they show exists', () => {
  const payment: Record<PaymentStatus, true> = {
    open: true,
    processing: true,
    completed: true,
    failed: true,
    expired: true,
  };
  const payout: Record<PayoutState, true> = {
    planned: true,
    sending: true,
    waiting_for_balance: true,
    sent: true,
    returned: true,
    failed: true,
  };
  const statesIn = (diagram: string) => [...new Set(diagram.match(/[a-z_]+/g))].sort();
  expect(statesIn(readBlock('docs/payments.md', 'open ──►'))).toEqual(Object.keys(payment).sort());
  expect(statesIn(readBlock('docs/payouts.md', 'planned ──►'))).toEqual(Object.keys(payout).sort());
  const folders =
    readBlock('docs/architecture.md', 'server/payments/checkout').match(
      /\b(?:app|server|widget|prisma)\/[\w/]*/g,
    ) ?? [];
  expect(folders.length).toBeGreaterThan(15);
  expect(folders.filter((folder) => !existsSync(folder))).toEqual([]);
});
