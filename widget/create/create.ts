import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';

/** `create-svc-app`: copies a template, with the address of the service and the publishable key of the app. */

const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const TEMPLATES = path.join(here, 'templates');
const names = readdirSync(TEMPLATES).sort();

const HELP = `Creates an app whose users pay for AI models with their own credits.

  create-svc-app FOLDER --template ${names[0]} --key svc_pk_…

  FOLDER                    a new folder, named as the app: lowercase letters, digits and dashes
  --template NAME           ${names.join(', ')}
  --key KEY                 the publishable key of your app, from the partner dashboard
  --service URL             such as https://pay.example.com; default: where this program was installed from
  --model ID                default: the first one that the service lists
  --help
`;

/** A mistake of the user. The message is all they see. */
class Mistake extends Error {}

type App = { folder: string; template: string; key: string; service: string; model: string };

async function main(): Promise<void> {
  const app = await readApp();
  const files = listFiles(path.join(TEMPLATES, app.template));
  try {
    mkdirSync(app.folder);
  } catch (error) {
    throw new Mistake(`${app.folder} cannot be created: ${(error as Error).message}`);
  }
  for (const file of files) {
    const target = path.join(app.folder, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, fillIn(readFileSync(path.join(TEMPLATES, app.template, file), 'utf8'), app));
  }
  stdout.write(`Created ${app.folder} with ${files.length} files. Next: read ${app.folder}/README.md\n`);
}

/** Templates have the placeholders of the documentation. */
function fillIn(text: string, { folder, key, service, model }: App): string {
  return text
    .replaceAll('https://YOUR-SERVICE', () => service)
    .replaceAll('svc_pk_…', () => key)
    .replaceAll('sandbox/story', () => model)
    .replaceAll('my-svc-app', () => path.basename(folder));
}

function listFiles(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
}

// ── Options ──────────────────────────────────────────────────────────────────────────────────

async function readApp(): Promise<App> {
  const { values, positionals } = parse();
  if (values.help) {
    stdout.write(HELP);
    process.exit(0);
  }
  const folder = positionals[0] ?? (await ask('Folder'));
  if (!/^[a-z0-9][a-z0-9-]{0,60}$/.test(path.basename(folder)))
    throw new Mistake(`${folder}: a name has lowercase letters, digits and dashes, such as my-app`);
  const template = values.template ?? (await ask(`Template (${names.join(', ')})`));
  if (!names.includes(template))
    throw new Mistake(`--template: ${template} does not exist. Use one of ${names.join(', ')}`);
  const key = values.key ?? (await ask('Publishable key (svc_pk_…)'));
  if (!/^svc_pk_[0-9A-Za-z]{8,100}$/.test(key))
    throw new Mistake('--key: expected the publishable key of your app, which starts with svc_pk_');
  const service = readService(values.service ?? findOrigin() ?? (await ask('Address of the service')));
  return { folder, template, key, service, model: values.model ?? (await findModel(service)) };
}

function parse() {
  const text = { type: 'string' } as const;
  const options = {
    template: text,
    key: text,
    service: text,
    model: text,
    help: { type: 'boolean' },
  } as const;
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    throw new Mistake(`${(error as Error).message}. See --help`);
  }
}

async function ask(question: string): Promise<string> {
  if (!stdin.isTTY) throw new Mistake(`${question} is missing. See --help`);
  const prompt = createInterface({ input: stdin, output: stdout });
  try {
    return (await prompt.question(`${question}: `)).trim();
  } finally {
    prompt.close();
  }
}

function readService(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new Mistake(`--service: ${text} is not a URL`);
  return new URL(text).origin;
}

/** `npx URL` notes that URL next to the folder into which it installs. */
function findOrigin(): string | null {
  try {
    const manifest = readFileSync(path.join(here, '../../../package.json'), 'utf8');
    return JSON.parse(manifest).dependencies['create-svc-app'];
  } catch {
    return null;
  }
}

async function findModel(service: string): Promise<string> {
  const response = await fetch(`${service}/v1/models`).catch((error: Error) => {
    throw new Mistake(`${service} cannot be reached: ${error.message}`);
  });
  const body = (await response.json().catch(() => null)) as { data?: { id: string; type?: string }[] } | null;
  const ids = (body?.data ?? []).filter(({ type }) => type === 'language').map(({ id }) => id);
  const model = ids.includes('sandbox/story') ? 'sandbox/story' : ids[0];
  if (model === undefined) throw new Mistake(`${service}/v1/models lists no model. Is it the right address?`);
  return model;
}

main().catch((error: unknown) => {
  process.stderr.write(`create-svc-app: ${error instanceof Mistake ? error.message : String(error)}\n`);
  process.exit(1);
});
