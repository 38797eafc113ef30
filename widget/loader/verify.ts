import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/** `svc-verify`: checks receipts and daily statements with nothing but the published keys. */

const HELP = `Checks receipts and daily statements.

  npx svc-verify --service https://pay.example.com statement-2026-11-21.json statement-2026-11-22.json
  SVC_USER_KEY=… npx svc-verify https://pay.example.com/v1/credits/receipts/req_…

  FILE or URL        statements downloaded from the account, or responses of
                     /v1/credits/receipts/{id}, /v1/credits/statements and /v1/credits/statements/{day}
  --service URL      the service whose keys are trusted (or SVC_URL); for a URL, its origin
  --keys FILE        its keys, if they are not to be read from /.well-known/jwks.json
  --help

Of several days, each must follow from the one before. The exit code is 1 if anything does not match.
`;

const READ_TIMEOUT_MS = 30_000;
/** A day may be closed with a key while it is being retired. */
const RETIREMENT_SECONDS = 600;
const MICROCREDITS = 1_000_000n;

const { env } = process;

/** A mistake of the user. The message is all they see. */
class Mistake extends Error {}

/** What does not match. */
class Difference extends Error {}

type Fields = Record<string, unknown>;
type Key = { key: KeyObject; from: number; until: number };
type Trusted = { service: string; keys: Map<string, Key> };
type Statement = Fields & { signed: string; day: string; sub: string; opening: number; closing: number };

async function main(): Promise<void> {
  const { service, keys: keyFile, sources } = readOptions();
  const bodies: { source: string; body: Fields }[] = [];
  for (const source of sources) bodies.push({ source, body: await read(source, service) });
  // Afterwards, because a receipt may be the first one that a new key has signed.
  const keys = readKeys(await read(keyFile ?? `${service}/.well-known/jwks.json`, service));
  const trusted = { service, keys };
  const report = new Report();
  const chain: Statement[] = [];
  for (const { source, body } of bodies) {
    print(`${plain(source)}`);
    report.check(() => chain.push(...checkBody(body, trusted, report)));
  }
  if (chain.length > 1) print('The order of the days');
  for (const days of bySubject(chain)) report.check(() => checkChain(days, report));
  print(report.failures === 0 ? 'Everything matches.' : `${report.failures} of the checks failed.`);
  process.exitCode = report.failures === 0 ? 0 : 1;
}

class Report {
  failures = 0;

  pass(text: string): void {
    print(`  ok      ${plain(text)}`);
  }

  fail(text: string): void {
    this.failures++;
    print(`  FAILED  ${plain(text)}`);
  }

  note(text: string): void {
    print(`  note    ${plain(text)}`);
  }

  /** A difference ends the work, and the next begins. */
  check(work: () => void): boolean {
    const before = this.failures;
    try {
      work();
    } catch (error) {
      this.fail(error instanceof Difference ? error.message : `it cannot be read: ${describe(error)}`);
    }
    return this.failures === before;
  }
}

/** Returns the statements, for their order. */
function checkBody(body: Fields, trusted: Trusted, report: Report): Statement[] {
  if (isObject(body.proof)) return checkReceiptResponse(body, body.proof, trusted, report);
  if (Array.isArray(body.apps)) return [checkAccountDay(body, trusted, report)];
  if (Array.isArray(body.entries)) return [checkAppDay(body, trusted, report)];
  if (Array.isArray(body.data)) {
    const statements = objects(body.data).map(({ statement }) => readStatement(statement, trusted));
    report.pass(`${count(statements.length, 'statement')} signed by ${trusted.service}`);
    return statements;
  }
  throw new Mistake('Expected a receipt or a daily statement in JSON');
}

// ── Days ─────────────────────────────────────────────────────────────────────────────────────

function checkAccountDay(body: Fields, trusted: Trusted, report: Report): Statement {
  const account = readStatement(body.statement, trusted);
  if (account.scope !== 'account') throw new Difference('the statement is not that of an account');
  const apps = objects(body.apps).map((app) => checkAppDay(app, trusted, report));
  const listed = apps.map((app) => ({
    name: `the statement of ${app.app ?? 'purchases outside apps'}`,
    leaf: leafOf(app.signed),
  }));
  const isComplete = report.check(() => checkLeaves(account, strings(body.leaves), listed, report));
  const isInSum = report.check(() => {
    const [charged, ofApps] = [account.charged, sumOf(apps.map((app) => Number(app.charged)))];
    if (charged !== ofApps)
      throw new Difference(
        `${account.day}: the account was charged ${charged} microcredits, its apps ${ofApps}`,
      );
    const [change, inApps] = [
      account.closing - account.opening,
      sumOf(apps.map((app) => app.closing - app.opening)),
    ];
    if (change !== inApps)
      throw new Difference(
        `${account.day}: the balance changed by ${change} microcredits, the apps by ${inApps}`,
      );
  });
  if (isComplete && isInSum)
    report.pass(
      `account on ${account.day}: ${count(apps.length, 'app')}, balance ${credits(account.opening)} → ${credits(account.closing)} credits`,
    );
  return account;
}

function checkAppDay(body: Fields, trusted: Trusted, report: Report): Statement {
  const statement = readStatement(body.statement, trusted);
  const entries = objects(body.entries);
  const listed = entries.map((entry) => ({ name: nameOf(entry), leaf: leafOf(canonical(entry)) }));
  const prices = new Map<unknown, Fields>();
  const isRight = [
    report.check(() => checkLeaves(statement, strings(body.leaves), listed, report)),
    ...objects(body.prices).map((price) =>
      report.check(() => prices.set(price.version, checkPrice(price, statement))),
    ),
    ...entries.map((entry) => report.check(() => checkEntry(entry, prices, statement))),
    report.check(() => checkSums(statement, entries)),
  ].every((done) => done);
  const receipts = entries.filter(({ type }) => type === 'receipt').length;
  if (isRight)
    report.pass(
      `${statement.app ?? 'outside any app'} on ${statement.day}: signed; ${count(receipts, 'receipt')} charged by tokens, price version and commission; ${count(entries.length, 'entry', 'entries')}, a change of ${credits(statement.closing - statement.opening)} credits`,
    );
  return statement;
}

type Listed = { name: string; leaf: string };

/** The entries are those whose hashes were signed. */
function checkLeaves(statement: Statement, leaves: string[], listed: Listed[], report: Report): void {
  const { day, root, entries } = statement;
  if (leaves.length !== entries || rootOf(leaves.map(bytes)).toString('base64url') !== root)
    throw new Difference(`${day}: the hashes of the entries are not those that were signed`);
  const signed = new Set(leaves);
  const present = new Set(listed.map(({ leaf }) => leaf));
  const strange = listed.filter(({ leaf }) => !signed.has(leaf));
  for (const { name } of strange)
    report.fail(`${name} is not as it was on ${day}: it was changed or added after the day was closed`);
  const missing = leaves.filter((leaf) => !present.has(leaf)).length - strange.length;
  if (missing > 0)
    report.fail(`${day}: ${count(missing, 'entry', 'entries')} of the signed ${leaves.length} missing`);
  if (missing < 0 || listed.length !== leaves.length)
    report.fail(`${day}: ${leaves.length} were signed, ${count(listed.length, 'entry', 'entries')} listed`);
}

function checkPrice(price: Fields, { prices, day }: Statement): Fields {
  const hash = createHash('sha256').update(canonical(price)).digest('base64url');
  if (!isObject(prices) || prices[String(price.version)] !== hash)
    throw new Difference(
      `the price version ${price.version} is not the one that the statement of ${day} covers`,
    );
  return price;
}

function checkEntry(entry: Fields, prices: Map<unknown, Fields>, { day }: Statement): void {
  if (!String(entry.created_at).startsWith(day))
    throw new Difference(`${nameOf(entry)} is of ${entry.created_at}, not of ${day}`);
  if (entry.type === 'receipt') checkCharge(entry, prices.get(entry.price_version));
}

/** The change of the balance is that of the entries. */
function checkSums(statement: Statement, entries: Fields[]): void {
  const receipts = entries.filter(({ type }) => type === 'receipt');
  const others = entries.filter(({ type }) => type !== 'receipt');
  const charged = sumOf(receipts.map((receipt) => Number(receipt.charged)));
  const rest = sumOf(others.map((entry) => Number(entry.credits)));
  const { day, opening, closing } = statement;
  if (statement.charged !== charged)
    throw new Difference(
      `${day}: the receipts add up to ${charged} microcredits, the statement says ${statement.charged}`,
    );
  if (closing - opening !== rest - charged)
    throw new Difference(
      `${day}: the entries add up to ${rest - charged} microcredits, the balance changed by ${closing - opening}`,
    );
}

/** Each day continues the one before. */
function checkChain(days: Statement[], report: Report): void {
  const ordered = [...days].sort((a, b) => (a.day < b.day ? -1 : 1));
  for (const [at, next] of ordered.entries()) {
    const before = ordered[at - 1];
    if (before === undefined || before.signed === next.signed) continue;
    if (next.previous !== createHash('sha256').update(before.signed).digest('base64url'))
      throw new Difference(
        `${next.day} does not follow from ${before.day}: a day between them is missing here, or one was replaced`,
      );
    if (next.opening !== before.closing)
      throw new Difference(`${next.day} begins with another balance than ${before.day} ended with`);
    report.pass(`${next.day} follows from ${before.day}`);
  }
}

function bySubject(statements: Statement[]): Statement[][] {
  const groups = new Map<string, Statement[]>();
  for (const statement of statements)
    groups.set(statement.sub, [...(groups.get(statement.sub) ?? []), statement]);
  return [...groups.values()];
}

// ── Receipts ─────────────────────────────────────────────────────────────────────────────────

function checkReceiptResponse(body: Fields, proof: Fields, trusted: Trusted, report: Report): Statement[] {
  const receipt = openSigned(proof.receipt, 'svc-receipt', trusted);
  for (const [name, value] of Object.entries(body)) {
    const signed = name.endsWith('_credits') ? undefined : receipt[name];
    if (signed !== undefined && canonical(signed) !== canonical(value))
      throw new Difference(`${nameOf(receipt)}: ${name} is ${value}, and ${signed} was signed`);
  }
  for (const [shown, name] of [
    ['charged_credits', 'charged'],
    ['provider_credits', 'provider_cost'],
    ['commission_credits', 'commission'],
    ['held_credits', 'held'],
  ] as const)
    if (Math.round(Number(body[shown]) * Number(MICROCREDITS)) !== receipt[name])
      throw new Difference(
        `${nameOf(receipt)}: ${shown} is ${body[shown]}, and ${receipt[name]} microcredits were signed`,
      );
  const price = proof.price === null ? undefined : openSigned(proof.price, 'svc-price', trusted);
  checkCharge(receipt, price);
  report.pass(
    `${nameOf(receipt)}: signed; its tokens at ${receipt.price_version} and ${Number(receipt.commission_bp) / 100}% commission cost ${credits(Number(receipt.charged))} credits`,
  );
  if (proof.statement === null) {
    report.note('its day is not closed yet, so no statement contains it');
    return [];
  }
  const statement = readStatement(proof.statement, trusted);
  if (price) checkPrice(price, statement);
  checkInclusion(receipt, proof.inclusion, statement);
  report.pass(`the statement of ${statement.day} contains it`);
  return [];
}

function checkInclusion(receipt: Fields, inclusion: unknown, { day, root, entries }: Statement): void {
  const name = nameOf(receipt);
  if (!String(receipt.created_at).startsWith(day))
    throw new Difference(`${name} is of ${receipt.created_at}, and its statement of ${day}`);
  if (!isObject(inclusion))
    throw new Difference(
      `${name} is not in the statement of ${day}: it was changed or added after the day was closed`,
    );
  const path = strings(inclusion.path).map(bytes);
  const found = climb(
    bytes(leafOf(canonical(receipt))),
    Number(inclusion.index),
    Number(inclusion.size),
    path,
  );
  if (inclusion.size !== entries || path.length > 0 || found.toString('base64url') !== root)
    throw new Difference(`${name} is not in the statement of ${day}`);
}

/** Cost = tokens and web searches × price, charge = cost × (1 + commission), rounded up once, at most the hold. */
function checkCharge(receipt: Fields, price: Fields | undefined): void {
  const amount = (name: string): bigint => whole(receipt[name]);
  const cost = receipt.cost_reported ? null : exactCost(receipt, price);
  // A cost that the provider reported was rounded up to a microcredit before it was stored.
  const most = cost ?? amount('provider_cost') * MICROCREDITS;
  const least = cost ?? (most === 0n ? 0n : most - MICROCREDITS + 1n);
  const chargeOf = (exact: bigint): bigint =>
    lesser(amount('held'), divideUp(exact * (10_000n + amount('commission_bp')), 10_000n * MICROCREDITS));
  const told = amount('charged');
  const name = nameOf(receipt);
  if (amount('provider_cost') !== divideUp(most, MICROCREDITS))
    throw new Difference(
      `${name}: the provider cost is ${amount('provider_cost')} microcredits, and its tokens at ${receipt.price_version} cost ${divideUp(most, MICROCREDITS)}`,
    );
  if (told < chargeOf(least) || told > chargeOf(most))
    throw new Difference(
      `${name}: charged ${told} microcredits, and its cost with ${Number(amount('commission_bp')) / 100}% commission is ${chargeOf(most)}`,
    );
  const share = told > amount('provider_cost') ? told - amount('provider_cost') : 0n;
  if (amount('commission') !== share)
    throw new Difference(
      `${name}: the commission is ${amount('commission')} microcredits, expected ${share}`,
    );
}

/** In picocredits. The price is that of the highest tier that the prompt exceeds. */
function exactCost(receipt: Fields, price: Fields | undefined): bigint {
  if (price === undefined || price.version !== receipt.price_version)
    throw new Difference(`${nameOf(receipt)}: the price version ${receipt.price_version} is missing`);
  if (String(price.valid_from) > String(receipt.created_at))
    throw new Difference(`${nameOf(receipt)}: ${price.version} applies only from ${price.valid_from}`);
  const classes = [
    ['input_tokens', 'input'],
    ['cached_input_tokens', 'cache_read'],
    ['cache_write_tokens', 'cache_write_5m'],
    ['cache_write_1h_tokens', 'cache_write_1h'],
    ['output_tokens', 'output'],
  ] as const;
  const prompt = classes.slice(0, 4).reduce((sum, [tokens]) => sum + Number(receipt[tokens]), 0);
  const tier = objects(price.tiers).findLast(({ above }) => prompt > Number(above)) ?? price;
  const searches = whole(receipt.web_searches) * whole(price.web_search ?? 0);
  return classes.reduce((sum, [tokens, kind]) => sum + whole(receipt[tokens]) * whole(tier[kind]), searches);
}

// ── Signatures and hashes ────────────────────────────────────────────────────────────────────

function readKeys(body: Fields): Map<string, Key> {
  const keys = objects(body.keys).map(({ kid, kty, crv, x, created_at, retired_at }): [string, Key] => [
    String(kid),
    {
      key: createPublicKey({ key: { kty, crv, x } as Record<string, string>, format: 'jwk' }),
      from: Date.parse(String(created_at)) / 1000,
      until: retired_at === null ? Number.POSITIVE_INFINITY : Date.parse(String(retired_at)) / 1000,
    },
  ]);
  return new Map(keys);
}

function readStatement(signed: unknown, trusted: Trusted): Statement {
  const payload = openSigned(signed, 'svc-statement', trusted);
  if (payload.iss !== trusted.service)
    throw new Difference(
      `the statement of ${payload.day} was made by ${payload.iss}, not by ${trusted.service}`,
    );
  return { ...payload, signed: String(signed) } as Statement;
}

/** The payload of a JWS, if a published key signed it. */
function openSigned(signed: unknown, typ: string, { service, keys }: Trusted): Fields {
  const parts = String(signed).split('.');
  const [header, payload] = parts
    .slice(0, 2)
    .map((part) => JSON.parse(bytes(part).toString('utf8')) as Fields);
  const name = typ.replace('svc-', '');
  if (parts.length !== 3 || header?.alg !== 'EdDSA' || header.typ !== typ || !isObject(payload))
    throw new Difference(`the ${name} is not signed as one`);
  const known = keys.get(String(header.kid));
  if (known === undefined)
    throw new Difference(`the ${name} is signed with a key that ${service} does not publish (${header.kid})`);
  if (!verify(null, Buffer.from(`${parts[0]}.${parts[1]}`), known.key, bytes(parts[2] ?? '')))
    throw new Difference(`the signature of the ${name} is wrong: it was changed after it was signed`);
  const at = Number(payload.iat);
  if (at < known.from - RETIREMENT_SECONDS || at > known.until + RETIREMENT_SECONDS)
    throw new Difference(`the ${name} is signed with a key that was not in use at that time`);
  return payload;
}

/** RFC 8785, for values without fractions. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`;
}

/** RFC 6962. */
const leafOf = (entry: string): string => hash([0], Buffer.from(entry)).toString('base64url');

function rootOf(leaves: Buffer[]): Buffer {
  const [first, ...others] = leaves;
  if (first === undefined) throw new Difference('a statement without entries');
  if (others.length === 0) return first;
  const left = leftSize(leaves.length);
  return hash([1], rootOf(leaves.slice(0, left)), rootOf(leaves.slice(left)));
}

/** The root above a leaf. Takes what it uses off the path, from its end. */
function climb(leaf: Buffer, index: number, size: number, path: Buffer[]): Buffer {
  const sibling = size > 1 ? path.pop() : undefined;
  if (sibling === undefined) return leaf;
  const left = leftSize(size);
  return index < left
    ? hash([1], climb(leaf, index, left, path), sibling)
    : hash([1], sibling, climb(leaf, index - left, size - left, path));
}

const leftSize = (size: number): number => 2 ** Math.ceil(Math.log2(size) - 1);

const hash = (prefix: number[], ...parts: Buffer[]): Buffer =>
  createHash('sha256')
    .update(Buffer.concat([Buffer.from(prefix), ...parts]))
    .digest();

const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');

// ── Input ────────────────────────────────────────────────────────────────────────────────────

function readOptions(): { service: string; keys: string | undefined; sources: string[] } {
  const { values, positionals: sources } = parse();
  if (values.help) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  const [first] = sources;
  if (first === undefined) throw new Mistake('A file or URL is missing. See svc-verify --help');
  const service = values.service ?? env.SVC_URL ?? (isUrl(first) ? new URL(first).origin : undefined);
  if (service === undefined || !isUrl(service))
    throw new Mistake('The address of the service is missing: set SVC_URL or --service https://…');
  return { service: service.replace(/\/{1,9}$/, ''), keys: values.keys, sources };
}

function parse() {
  const options = {
    service: { type: 'string' },
    keys: { type: 'string' },
    help: { type: 'boolean' },
  } as const;
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    throw new Mistake(`${describe(error)}. See svc-verify --help`);
  }
}

const isUrl = (text: string): boolean => /^https?:\/\//.test(text) && URL.canParse(text);

async function read(source: string, service: string): Promise<Fields> {
  try {
    const body: unknown = JSON.parse(
      isUrl(source) ? await fetchText(source, service) : readFileSync(source, 'utf8'),
    );
    if (isObject(body)) return body;
  } catch (error) {
    throw new Mistake(`${source} cannot be read: ${describe(error)}`);
  }
  throw new Mistake(`${source}: expected a JSON object`);
}

/** The user key is sent to the service only. */
async function fetchText(url: string, service: string): Promise<string> {
  const key = new URL(url).origin === new URL(service).origin ? env.SVC_USER_KEY : undefined;
  const response = await fetch(url, {
    headers: { accept: 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
    redirect: 'error',
    signal: AbortSignal.timeout(READ_TIMEOUT_MS),
  });
  const text = await response.text();
  if (response.ok) return text;
  throw new Error(`status ${response.status} ${text.slice(0, 300)}`);
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const objects = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isObject) : []);
const strings = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** A count or an amount; both are never negative in receipts and prices. */
function whole(value: unknown): bigint {
  if (!/^\d+$/.test(String(value))) throw new Difference(`expected a whole number instead of ${value}`);
  return BigInt(String(value));
}

const divideUp = (amount: bigint, by: bigint): bigint => (amount + by - 1n) / by;
const lesser = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const sumOf = (amounts: number[]): number => amounts.reduce((sum, amount) => sum + amount, 0);

// ── Output ───────────────────────────────────────────────────────────────────────────────────

const nameOf = (entry: Fields): string => String(entry.request_id ?? entry.id);
const credits = (amount: number): string => String(amount / Number(MICROCREDITS));
const count = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`;

/** Files may contain anything, terminals obey some of it. */
const plain = (text: string): string => text.replace(/\p{Cc}/gu, '?').slice(0, 500);

function describe(error: unknown): string {
  const cause = error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined) : undefined;
  return cause?.code ?? cause?.message ?? (error instanceof Error ? error.message : String(error));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`svc-verify: ${plain(error instanceof Mistake ? error.message : describe(error))}\n`);
  process.exit(1);
});
