import { isPublicName } from '../../base/public-name';
import { refuse, requireText } from './read-fields';

/** Images and documents inside requests. */

export type DataUrl = { mediaType: string; data: string };

const DATA_URL = /^data:([a-z0-9.+-]+\/[a-z0-9.+-]+)?((?:;[^;,]+)*?)(;base64)?,/i;

/** Null when the text is not a base64 data URL. */
export function parseDataUrl(url: string): DataUrl | null {
  const match = DATA_URL.exec(url.slice(0, 200));
  if (match === null || match[3] === undefined) return null;
  return { mediaType: (match[1] ?? '').toLowerCase(), data: url.slice(match[0].length) };
}

/** File signatures, in base64. The declared type is often wrong, and some providers check it. */
const MAGIC: [RegExp, string][] = [
  [/^\/9j\//, 'image/jpeg'],
  [/^iVBORw0KGgo/, 'image/png'],
  [/^R0lGOD/, 'image/gif'],
  [/^UklGR.{6}XRUJQ/, 'image/webp'],
];

export function sniffImageType(base64: string): string | null {
  return MAGIC.find(([beginning]) => beginning.test(base64.slice(0, 40)))?.[1] ?? null;
}

/** The authority is read strictly: two parsers must not see two hosts in it. */
const HTTPS_URL = /^https:\/\/([a-z0-9_.-]+)(:\d{1,5})?(?:[/?#]|$)/i;

/** Refuses a URL that leads a provider into a private network, or to a file of its own. */
export function requirePublicUrl(url: string, param: string): void {
  const host = HTTPS_URL.exec(url)?.[1]?.toLowerCase().replace(/\.$/, '') ?? '';
  if (!isPublicName(host)) throw refuse(param, 'must be an https URL with a public host name');
}

const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/jpg', 'image/gif', 'image/webp']);

/** Refuses anything but an image, because other files cost more than the image that the hold covers. */
export function requireImage(base64: string, mediaType: string, param: string): void {
  const isNamed = mediaType === '' || IMAGE_TYPES.has(mediaType.toLowerCase());
  if (!isNamed || sniffImageType(base64) === null)
    throw refuse(param, 'must be a JPEG, PNG, GIF or WebP image');
}

/** Refuses an image that is neither inline nor at a public address. */
export function requireImageUrl(value: unknown, param: string): void {
  const url = requireText(value, param);
  if (!/^data:/i.test(url.slice(0, 5))) {
    if (!/^https:/i.test(url.slice(0, 6))) throw refuse(param, 'must be a base64 data URL or an https URL');
    return requirePublicUrl(url, param);
  }
  const image = parseDataUrl(url);
  if (image === null) throw refuse(param, 'must be a base64 data URL or an https URL');
  requireImage(image.data, image.mediaType, param);
}

/** The first kilobyte contains the header of a PDF. */
const BASE64_OF_HEADER = 1_368;

export const isPdf = (base64: string): boolean =>
  base64.startsWith('JVBERi0') || Buffer.from(base64.slice(0, BASE64_OF_HEADER), 'base64').includes('%PDF-');

/** Refuses anything but a PDF, given as base64 or as a data URL. */
export function requirePdf(value: unknown, param: string): void {
  const text = requireText(value, param);
  const file = parseDataUrl(text);
  const isNamed = file === null || file.mediaType === 'application/pdf';
  if (!isNamed || !isPdf(file?.data ?? text))
    throw refuse(param, 'must be a PDF, in base64 or as a data URL of application/pdf');
}

/** What may follow the padding. */
const END_OF_BASE64 = 8;
/** Of URLs: some decoders read them, and others skip them. */
const URL_CHARACTERS = ['-', '_', '%'];

/**
 * Whether every decoder reads the same bytes. Some end at padding, after which others find more. Of a letter outside ASCII,
 * Node.js reads the last byte.
 */
export function isUnambiguous(base64: string): boolean {
  if (Buffer.byteLength(base64) !== base64.length) return false;
  if (URL_CHARACTERS.some((character) => base64.includes(character))) return false;
  const end = base64.indexOf('=');
  return end === -1 || (base64.length - end <= END_OF_BASE64 && /^[=\s]*$/.test(base64.slice(end)));
}

export function decodedBytes(base64: string): number {
  return Math.floor((base64.length * 3) / 4);
}
