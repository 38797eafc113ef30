import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOptions } from '../../scripts/read-options.mjs';
import { bundle } from '../../scripts/steps.mjs';
import { type Picocredits, wholeCredits } from '../../server/base/credits';
import { closeDatabase, pool } from '../../server/base/db';
import { baseUrlVariable, keyVariable, type ProviderName } from '../../server/base/endpoints';
import { newId } from '../../server/base/ids';
import { hashUserKey } from '../../server/base/tokens';
import { syncCatalog } from '../../server/gateway/pricing/sync-catalog';
import { admit, release } from '../../server/ledger';
import { startEmbeddedPostgres } from '../../server/process/embedded-postgres';
import { migrate } from '../../server/process/migrate';
import { newPerson, type Person } from '../../tests/harness/people';
import { limitMonth } from '../../tests/ledger/wallets';
import { NO_PAUSES } from '../../tests/sim/ledger-walk';
import { PROVIDERS, startProviders } from './providers';
import { type Agent, requestOf, writeSession } from './session';

/**
 * `npm run agent-holds`: plays sessions of coding agents against instances on one database, with providers that cache
 * prompts, and compares what is held, and what a quote calls likely, with what is charged. Without trust in caches: `CACHE_MISS_PERCENT=0`.
 */

const values = readOptions({
  seed: { type: 'string', default: '7' },
  sessions: { type: 'string', default: '2' },
  steps: { type: 'string', default: '50' },
  instances: { type: 'string', default: '1' },
  misses: { type: 'string', default: '0' },
  output: { type: 'string', default: '2000' },
  credits: { type: 'string', default: '100000' },
});
const numberOf = (name: keyof typeof values): number => {
  const number = Number(values[name]);
  if (number >= 0) return number;
  console.error(`--${name}: expected a number`);
  process.exit(2);
};
const SEED = numberOf('seed');
const STEPS = numberOf('steps');
const RATE_BP = 2_000;
const CREDITS = numberOf('credits');
/** 0: none. Agents of Claude always have one. */
const OUTPUT = numberOf('output');

const MODELS = [
  'openai/gpt-5',
  'anthropic/claude-opus-4-5',
  'google/gemini-3.1-pro-preview',
  'deepseek/deepseek-v4-pro',
  'together/zai-org/GLM-5.3',
];

type Step = { number: number; held: number; charge: number; least: number; likely: number };
type Played = { steps: Step[]; end: string | null; userId: string };

const dataDir = path.resolve(`.data/agent-holds-${process.pid}`);
mkdirSync(dataDir, { recursive: true });
const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
const providers = await startProviders({ seed: SEED, missPercent: numberOf('misses') });
const instances: Instance[] = [];
try {
  await prepare();
  for (let n = 0; n < numberOf('instances'); n++) instances.push(await startInstance());
  console.log(
    '| model | steps | held ÷ charged: p50 | p90 | least ÷ charged: p50 | p90 | Σ overruns ÷ Σ charges | likely within 20% | likely ÷ charged: p10 | p50 | p90 |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|---|---|');
  for (const [index, model] of MODELS.entries()) await report(model, SEED + 1_000 * index);
  console.log(`${providers.misses} prompts missed the cache.`);
} finally {
  for (const { child } of instances) child.kill('SIGKILL');
  await providers.close();
  await closeDatabase();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function prepare(): Promise<void> {
  Object.assign(process.env, {
    NODE_ENV: 'production',
    LOG_LEVEL: 'silent',
    DATABASE_URL: postgres.url,
    AUTH_SECRET: randomBytes(32).toString('hex'),
    LIMIT_REQUESTS_PER_KEY_PER_MINUTE: '100000000',
    ...NO_PAUSES,
  });
  for (const name of Object.keys(PROVIDERS) as ProviderName[]) {
    process.env[keyVariable(name)] = 'sk-lab';
    process.env[baseUrlVariable(name)] = `${providers.url}/${name}`;
  }
  await migrate(postgres.url);
  await syncCatalog();
}

type Instance = { url: string; child: ChildProcess };

/** The API in a process of its own. */
async function startInstance(): Promise<Instance> {
  const program = fileURLToPath(await bundle('tests/gateway/api/api-process.ts', 'api-process'));
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [url] = await once(child, 'message');
  return { url, child };
}

async function report(model: string, seed: number): Promise<void> {
  const played: Played[] = [];
  for (let n = 0; n < numberOf('sessions'); n++) played.push(await play(model, seed + n));
  const steps = played.flatMap((each) => each.steps);
  const later = steps.filter(({ number }) => number >= 2);
  const held = later.map((step) => step.held / step.charge);
  const least = later.map((step) => step.least / step.charge);
  const users = played.map(({ userId }) => userId);
  const share = (await sumOverruns(users)) / steps.reduce((sum, { charge }) => sum + charge, 0);
  const numbers = [held, least].flatMap((ratios) => [atShare(ratios, 0.5), atShare(ratios, 0.9)]);
  const figures = [
    steps.length,
    ...numbers.map((ratio) => ratio.toFixed(2)),
    `${(100 * share).toFixed(2)} %`,
    ...describeLikely(steps),
  ];
  console.log(`| ${model} | ${figures.join(' | ')} |`);
  for (const { end, steps: done } of played)
    if (end !== null) console.log(`ended at step ${done.length + 1}: ${end}`);
}

/** Every step, the first ones of a session included. */
function describeLikely(steps: readonly Step[]): string[] {
  const ratios = steps.map(({ likely, charge }) => likely / charge);
  const near = ratios.filter((ratio) => Math.abs(ratio - 1) <= 0.2).length;
  const spread = [0.1, 0.5, 0.9].map((part) => atShare(ratios, part).toFixed(2));
  return [`${Math.round((100 * near) / ratios.length)} %`, ...spread];
}

function atShare(ratios: readonly number[], share: number): number {
  const sorted = ratios.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

async function sumOverruns(users: readonly string[]): Promise<number> {
  const { rows } = await pool().query<{ loss: bigint }>(
    "SELECT coalesce(sum(amount), 0)::bigint AS loss FROM ledger_entry WHERE account = 'overrun_loss' AND user_id = ANY ($1)",
    [users],
  );
  return Math.abs(Number(rows[0]?.loss ?? 0n)) / 1e6;
}

/** Until the session ends or a step is refused. With several instances, each step goes to the next one. */
async function play(model: string, seed: number): Promise<Played> {
  const person = await newPerson({ credits: CREDITS, rateBp: RATE_BP });
  // Where there are limits, no hold is kept for the next request, which would fit into it.
  await limitMonth({ userId: person.userId, apps: {} }, '*', wholeCredits(10 * CREDITS));
  const session = writeSession(seed, STEPS);
  const format = model.startsWith('anthropic/') ? 'messages' : 'chat';
  const agent: Agent = { model, format, maxTokens: OUTPUT === 0 ? null : OUTPUT };
  const steps: Step[] = [];
  for (let number = 0; number < STEPS; number++) {
    const instance = instances[number % instances.length];
    const request = requestOf(agent, session, number);
    const send = senderOf(person, request, instance);
    const least = await findLeast(person, send);
    const likely = await readLikely(person, request, instance);
    const { requestId, problem } = await send();
    if (problem !== null) return { steps, end: problem, userId: person.userId };
    steps.push({ number, least, likely, ...(await readReceipt(requestId)) });
  }
  return { steps, end: null, userId: person.userId };
}

function endpointOf(request: object): string {
  return `/v1/${'system' in request ? 'messages' : 'chat/completions'}`;
}

async function readLikely(
  { userKey }: Person,
  request: object,
  instance: Instance | undefined,
): Promise<number> {
  const response = await fetch(`${instance?.url}/v1/credits/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${userKey}` },
    body: JSON.stringify({ endpoint: endpointOf(request), request }),
  });
  return (await response.json()).likely;
}

type Sent = { requestId: string; problem: string | null };

function senderOf({ userKey }: Person, body: object, instance: Instance | undefined): () => Promise<Sent> {
  const url = `${instance?.url}${endpointOf(body)}`;
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${userKey}` };
  return async () => {
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    const requestId = response.headers.get('x-request-id') ?? '';
    return { requestId, problem: response.ok ? null : JSON.parse(text).error.message };
  };
}

/** The least balance that admits a request, from its refusal while another one holds everything. In hundredths of a credit. */
async function findLeast({ userKey }: Person, send: () => Promise<Sent>): Promise<number> {
  const everything = (10n ** 20n) as Picocredits;
  const keyHash = hashUserKey(userKey);
  if (keyHash === null) throw new Error('A key without a hash');
  const other = { keyHash, requestId: newId('req'), model: 'lab', need: 1n as Picocredits };
  const admission = await admit({ ...other, want: everything });
  if (!admission.ok) throw new Error(`Nothing can be held: ${admission.refusal}`);
  const { problem } = await send();
  await release(admission.hold);
  const needed = /needs at least ([\d,.]+) credits?/.exec(problem ?? '')?.[1];
  if (needed === undefined) throw new Error(`A refusal without an amount: ${problem}`);
  return Number(needed.replaceAll(',', ''));
}

async function readReceipt(requestId: string): Promise<{ held: number; charge: number }> {
  const { rows } = await pool().query<{ held: bigint; charge: bigint }>(
    'SELECT held, charge FROM usage WHERE request_id = $1',
    [requestId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('A response without a receipt');
  return { held: Number(row.held) / 1e6, charge: Number(row.charge) / 1e6 };
}
