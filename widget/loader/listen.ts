import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { describeFailure, type EventPage, EventReader, isLoopback } from './event-reader';
import { signatureOf } from './signature';

/** `svc-listen`: reads the events of an app and sends each to a local address, signed as a webhook. */

const HELP = `Sends the events of your app to an address on this machine, signed as webhooks.

  svc-listen --forward-to localhost:4242/webhooks

  --forward-to ADDRESS      where to send the events
  --service URL             the service, such as https://pay.example.com (or SVC_URL)
  --publishable-key KEY     the app (or SVC_PUBLISHABLE_KEY)
  --after EVENT_ID          the event to begin after, instead of the last one that was sent
  --help

The signing secret comes from SVC_WEBHOOK_SECRET; without it, svc-listen asks for it.
The first run begins with the oldest event, up to 30 days ago; later runs continue where the last one ended.
`;

const POLL_EVERY_MS = 2_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** Long enough for a breakpoint. */
const FORWARD_TIMEOUT_MS = 30_000;
/** As the service waits before its second and third attempt. */
const RETRY_AFTER_MS = [2_000, 8_000];

const { env } = process;

type Options = {
  target: URL;
  service: URL;
  publishableKey: string;
  secret: string;
  after: string | undefined;
};
type Event = EventPage['data'][number];

/** A mistake of the user. The message is all they see. */
class Mistake extends Error {}

async function main(): Promise<void> {
  const options = await readOptions();
  const file = cursorFile(options);
  let cursor = options.after ?? readCursor(file);
  const { host } = options.service;
  const reader = new EventReader(options, ({ problem, waitMs }) =>
    print(`${host}: ${problem}. Trying again in ${Math.ceil(waitMs / 1000)} seconds`),
  );
  print(`Forwarding events of ${options.service.origin} to ${options.target.href}`);
  for (;;) {
    const page = await reader.read(cursor);
    if (page === 'unknown_cursor') {
      if (options.after !== undefined && cursor === options.after)
        throw new Mistake(`--after: the event ${cursor} does not exist, or it is older than 30 days`);
      print('The last event that was sent is no longer kept. Beginning with the oldest one.');
      cursor = undefined;
      continue;
    }
    for (const event of page.data) {
      const outcome = await forward(event, options);
      cursor = event.id;
      writeCursor(file, cursor);
      print(outcome);
    }
    if (!page.has_more) await pause(POLL_EVERY_MS);
  }
}

// ── Options ──────────────────────────────────────────────────────────────────────────────────

async function readOptions(): Promise<Options> {
  const given = parse();
  if (given.help) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  const target = given['forward-to'];
  const service = given.service ?? env.SVC_URL;
  const publishableKey = given['publishable-key'] ?? env.SVC_PUBLISHABLE_KEY;
  if (target === undefined) throw new Mistake('--forward-to is missing, such as --forward-to localhost:4242');
  if (!service) throw new Mistake('The address of the service is missing: set SVC_URL or --service');
  if (!publishableKey?.startsWith('svc_pk_'))
    throw new Mistake(
      'The publishable key (svc_pk_…) is missing: set SVC_PUBLISHABLE_KEY or --publishable-key',
    );
  return {
    target: parseUrl('--forward-to', /^https?:/.test(target) ? target : `http://${target}`),
    service: parseService(service),
    publishableKey,
    secret: env.SVC_WEBHOOK_SECRET || (await askForSecret()),
    after: given.after,
  };
}

function parse() {
  const options = {
    'forward-to': { type: 'string' },
    service: { type: 'string' },
    'publishable-key': { type: 'string' },
    after: { type: 'string' },
    help: { type: 'boolean' },
  } as const;
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    throw new Mistake(`${describeFailure(error)}. See svc-listen --help`);
  }
}

function parseUrl(name: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Mistake(`${name}: ${text} is not a URL`);
  return url;
}

/** The signing secret is sent there. */
function parseService(text: string): URL {
  const url = parseUrl('SVC_URL', text);
  if (url.protocol === 'http:' && !isLoopback(url))
    throw new Mistake(`SVC_URL: ${text} must begin with https://`);
  return url;
}

/** Without showing it. */
function askForSecret(): Promise<string> {
  if (!process.stdin.isTTY) throw new Mistake('The signing secret is missing: set SVC_WEBHOOK_SECRET');
  process.stderr.write('Signing secret (whsec_…): ');
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: process.stdin, output: silent, terminal: true });
  return new Promise((resolve) => {
    prompt.on('SIGINT', () => process.exit(130));
    prompt.question('', (answer) => {
      prompt.close();
      process.stderr.write('\n');
      resolve(answer.trim());
    });
  });
}

// ── The last event that was sent ─────────────────────────────────────────────────────────────

function cursorFile({ service, publishableKey, target }: Options): string {
  const state = env.XDG_STATE_HOME || path.join(homedir(), '.local', 'state');
  const of = createHash('sha256').update([service.origin, publishableKey, target.href].join(' '));
  return path.join(state, 'svc-listen', of.digest('hex').slice(0, 16));
}

function readCursor(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Mistake(`${file} cannot be read: ${describeFailure(error)}`);
  }
}

function writeCursor(file: string, eventId: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, eventId);
  renameSync(`${file}.new`, file);
}

// ── The local address ────────────────────────────────────────────────────────────────────────

/** Waits until the address responds, and returns the line to print. A response ends the event as it ends a delivery of the service. */
async function forward(event: Event, { target, secret }: Options): Promise<string> {
  const line = `${event.type} ${event.id} →`;
  let waitMs = FIRST_WAIT_MS;
  for (let failures = 0; ; ) {
    const outcome = await post(event, target, secret);
    if (typeof outcome === 'string') {
      print(`${line} ${target.host} does not respond: ${outcome}. Trying again in ${waitMs / 1000} seconds`);
      await pause(waitMs);
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
      continue;
    }
    const retryMs = RETRY_AFTER_MS[failures++];
    if (!isRetried(outcome) || retryMs === undefined) return `${line} ${outcome}`;
    print(`${line} ${outcome}. Trying again in ${retryMs / 1000} seconds`);
    await pause(retryMs);
  }
}

const isRetried = (status: number): boolean =>
  status === 408 || status === 429 || status >= 500 || (status >= 300 && status < 400);

/** The status, or why there is none. The body has the same bytes as the webhook. */
async function post(event: Event, target: URL, secret: string): Promise<number | string> {
  const body = JSON.stringify(event);
  const time = String(Math.floor(Date.now() / 1000));
  try {
    const response = await fetch(target, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'svc-listen',
        'X-svc-Event': event.type,
        'X-svc-Signature': `t=${time},v1=${signatureOf(secret, time, body).toString('hex')}`,
      },
      redirect: 'manual',
      signal: AbortSignal.timeout(FORWARD_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    return describeFailure(error);
  }
}

// ── Output ───────────────────────────────────────────────────────────────────────────────────

function print(line: string): void {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`svc-listen: ${describeFailure(error)}\n`);
  process.exit(1);
});
