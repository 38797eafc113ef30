import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { count, type Fields, isObject, objects } from './fields';
import { checkReceiptResponse } from './receipt';
import { describe, Mistake, plain, print, Report } from './report';
import { readKeys, readStatement, type Statement, type Trusted } from './signed';
import { bySubject, checkAccountDay, checkAppDay, checkChain } from './statement';

/** `svc-verify`: checks receipts and daily statements with nothing but the published keys. */

const HELP = `Checks receipts and daily statements.

  svc-verify --service https://pay.example.com statement-2026-11-21.json statement-2026-11-22.json
  SVC_USER_KEY=… svc-verify https://pay.example.com/v1/credits/receipts/req_…

  FILE or URL        statements downloaded from the account, or responses of
                     /v1/credits/receipts/{id}, /v1/credits/statements and /v1/credits/statements/{day}
  --service URL      the service whose keys are trusted (or SVC_URL); for a URL, its origin
  --keys FILE        its keys, if they are not to be read from /.well-known/jwks.json
  --help

Of several days, each must follow from the one before. The exit code is 1 if anything does not match.
`;

const READ_TIMEOUT_MS = 30_000;

const { env } = process;

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
  return { service: service.replace(/(?<!\/)\/+$/, ''), keys: values.keys, sources };
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

main().catch((error: unknown) => {
  process.stderr.write(`svc-verify: ${plain(error instanceof Mistake ? error.message : describe(error))}\n`);
  process.exit(1);
});
