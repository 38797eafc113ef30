import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { open, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';

/**
 * An archive is a folder with three files for each month (UTC):
 *
 *     2025-06.receipts.jsonl.gz   a receipt in each line, as PostgreSQL writes the row of its transaction
 *     2025-06.balances.jsonl.gz   their totals, and the balance at the end of the month, by user and app or pocket
 *     2025-06.json                the manifest: counts, sums, and the SHA-256 of the other two files. Written last
 *
 * Rows are never parsed by JavaScript, so every number is restored exactly.
 */
const FORMAT = 'svc archive';
const VERSION = 1;

export type Part = 'receipts' | 'balances';

export type Manifest = {
  format: typeof FORMAT;
  version: number;
  /** `2025-06` */
  month: string;
  receipts: number;
  /** The least and the greatest id of a receipt. */
  ids: [string, string];
  /** Sums of the receipts in microcredits. */
  charge: string;
  earned: string;
  sha256: Record<Part, string>;
};

/** The archive is incomplete, was changed, or does not agree with the database. */
export class ArchiveError extends Error {
  override name = 'ArchiveError';
}

const fileOf = (dir: string, month: string, part: Part): string =>
  path.join(dir, `${month}.${part}.jsonl.gz`);
const manifestOf = (dir: string, month: string): string => path.join(dir, `${month}.json`);

export const isArchived = (dir: string, month: string): boolean => existsSync(manifestOf(dir, month));

/** The months whose archive is complete, oldest first. */
export async function listMonths(dir: string): Promise<string[]> {
  const names = existsSync(dir) ? await readdir(dir) : [];
  return names
    .filter((name) => /^\d{4}-\d{2}\.json$/.test(name))
    .map((name) => name.slice(0, 7))
    .sort();
}

/** A file gets its name once it is complete and on disk. Returns its SHA-256. */
export async function writePart(
  dir: string,
  month: string,
  part: Part,
  texts: AsyncIterable<string>,
): Promise<string> {
  const file = fileOf(dir, month, part);
  const draft = `${file}.part`;
  // Anyone who can read the file can read every receipt.
  await pipeline(Readable.from(texts), createGzip(), createWriteStream(draft, { mode: 0o600 }));
  await moveToDisk(draft, file);
  return hashOf(file);
}

export async function writeManifest(
  dir: string,
  manifest: Omit<Manifest, 'format' | 'version'>,
): Promise<void> {
  const file = manifestOf(dir, manifest.month);
  const text = JSON.stringify({ format: FORMAT, version: VERSION, ...manifest }, null, 2);
  await writeFile(`${file}.part`, `${text}\n`, { mode: 0o600 });
  await moveToDisk(`${file}.part`, file);
}

async function moveToDisk(draft: string, file: string): Promise<void> {
  const written = await open(draft, 'r+');
  await written.sync().finally(() => written.close());
  await rename(draft, file);
  const folder = await open(path.dirname(file), 'r');
  await folder.sync().finally(() => folder.close());
}

export async function readManifest(dir: string, month: string): Promise<Manifest> {
  const manifest = JSON.parse(await readFile(manifestOf(dir, month), 'utf8')) as Manifest;
  if (manifest.format !== FORMAT || manifest.version !== VERSION)
    throw new ArchiveError(`${manifestOf(dir, month)} is not an archive of this version`);
  return manifest;
}

/** Requires that the files are the ones that the manifest names. */
export async function requireUnchanged(dir: string, { month, sha256 }: Manifest): Promise<void> {
  for (const part of ['receipts', 'balances'] as const) {
    const file = fileOf(dir, month, part);
    if (!existsSync(file)) throw new ArchiveError(`${file} is missing`);
    if ((await hashOf(file)) !== sha256[part])
      throw new ArchiveError(`${file} is not the file that was archived: its SHA-256 differs`);
  }
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

const LINES_AT_ONCE = 5_000;

/** The lines of a file, several at once. */
export async function* readLines(dir: string, month: string, part: Part): AsyncGenerator<string[]> {
  let lines: string[] = [];
  const source = createReadStream(fileOf(dir, month, part));
  const text = source.pipe(createGunzip());
  source.once('error', (error) => text.destroy(error));
  for await (const line of createInterface({ input: text })) {
    lines.push(line);
    if (lines.length < LINES_AT_ONCE) continue;
    yield lines;
    lines = [];
  }
  if (lines.length > 0) yield lines;
}

/** Rows as one argument of a statement. */
export const asJson = (lines: readonly string[]): string => `[${lines.join(',')}]`;
