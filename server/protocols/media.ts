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
  [/^UklGR.{10}XRUJ/, 'image/webp'],
  [/^UklGR.{6,12}V0VCU/, 'image/webp'],
];

export function sniffImageType(base64: string): string | null {
  return MAGIC.find(([beginning]) => beginning.test(base64.slice(0, 40)))?.[1] ?? null;
}

export function decodedBytes(base64: string): number {
  return Math.floor((base64.length * 3) / 4);
}
