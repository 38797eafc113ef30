/** The images that an app may show as its logo, told by their own bytes. SVG is not one of them: it can hold scripts. */

type LogoType = 'image/png' | 'image/jpeg' | 'image/webp';

export const MAX_LOGO_BYTES = 64 * 1024;
/** A small file can declare a picture that takes gigabytes once it is decoded. */
const MOST_PIXELS = 1_024;
const LEAST_PIXELS = 32;

type Size = { width: number; height: number };
type CheckedLogo = { ok: true; type: LogoType } | { ok: false; reason: string };

const refuse = (reason: string): CheckedLogo => ({ ok: false, reason });

export function checkLogo(bytes: Buffer): CheckedLogo {
  if (bytes.length > MAX_LOGO_BYTES) return refuse('The logo must be at most 64 kB');
  const found = readPng(bytes) ?? readJpeg(bytes) ?? readWebp(bytes);
  if (found === null) return refuse('The logo must be a PNG, JPEG or WebP image that is not animated');
  const { type, width, height } = found;
  if (Math.min(width, height) < LEAST_PIXELS || Math.max(width, height) > MOST_PIXELS)
    return refuse(
      `The logo must be ${LEAST_PIXELS} to ${MOST_PIXELS} pixels wide and high; this one is ${width} × ${height}`,
    );
  return { ok: true, type };
}

type Found = Size & { type: LogoType };

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

function readPng(bytes: Buffer): Found | null {
  if (bytes.length < 33 || !bytes.subarray(0, 8).equals(PNG) || textAt(bytes, 12) !== 'IHDR') return null;
  if (bytes.includes('acTL', 33, 'latin1')) return null;
  return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** The frame header that holds the size follows segments of given lengths. */
function readJpeg(bytes: Buffer): Found | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xff_d8) return null;
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes.readUInt8(at) !== 0xff) return null;
    const marker = bytes.readUInt8(at + 1);
    if (isFrame(marker))
      return { type: 'image/jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    // The picture itself begins: its size had to come before.
    if (marker === 0xda) return null;
    at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
  return null;
}

const NO_FRAMES = [0xc4, 0xc8, 0xcc];
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && !NO_FRAMES.includes(marker);

const ANIMATED = 0x02;

function readWebp(bytes: Buffer): Found | null {
  if (bytes.length < 30 || textAt(bytes, 0) !== 'RIFF' || textAt(bytes, 8) !== 'WEBP') return null;
  const size = readWebpSize(bytes);
  return size && { type: 'image/webp', ...size };
}

function readWebpSize(bytes: Buffer): Size | null {
  switch (textAt(bytes, 12)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      if ((bytes.readUInt8(20) & ANIMATED) !== 0) return null;
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return null;
  }
}

const textAt = (bytes: Buffer, at: number): string => bytes.toString('latin1', at, at + 4);
