import { isUnambiguous } from './media';
import type { Pixels } from './neutral';

/** Reads the size of an image from the beginning of its file. The cost of the image depends on it. */

/** How much of an image is read: the size of a JPEG comes after its profiles and thumbnail. */
const BASE64_READ = 400_000;

/** Null when it is not a PNG, JPEG, GIF or WebP, its size is not found, or decoders may read another one. */
export function readImageSize(base64: string): Pixels | null {
  const beginning = base64.slice(0, BASE64_READ);
  if (!isUnambiguous(beginning)) return null;
  const bytes = Buffer.from(beginning, 'base64');
  const size = bytes.length < 30 ? null : readSize(bytes);
  return size !== null && size.width > 0 && size.height > 0 ? size : null;
}

function readSize(bytes: Buffer): Pixels | null {
  if (bytes.readUInt32BE(0) === 0x89504e47) return readPngSize(bytes);
  if (bytes.readUInt16BE(0) === 0xffd8) return readJpegSize(bytes);
  const beginning = bytes.toString('latin1', 0, 16);
  if (beginning.startsWith('GIF8')) return readGifSize(bytes);
  return /^RIFF.{4}WEBP/s.test(beginning) ? readWebpSize(bytes, beginning.slice(12)) : null;
}

/** Null unless the header comes first and only once: some decoders believe the last one before the pixels. */
function readPngSize(bytes: Buffer): Pixels | null {
  for (let at = 8; at + 12 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const chunk = bytes.toString('latin1', at + 4, at + 8);
    if ((chunk === 'IHDR') !== (at === 8)) return null;
    if (chunk === 'IDAT') return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  return null;
}

/**
 * Decoders enlarge the screen to the first frame. Null when no frame follows the extensions, or when one of
 * them is too short: decoders disagree on where it ends.
 */
function readGifSize(bytes: Buffer): Pixels | null {
  const flags = bytes[10] ?? 0;
  let at = 13 + (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);
  while (bytes[at] === 0x21) {
    let missing = bytes[at + 1] === 0xff ? 2 : 1;
    for (at += 2; bytes[at]; missing--) at += 1 + (bytes[at] ?? 0);
    if (missing > 0) return null;
    at++;
  }
  if (bytes[at] !== 0x2c || at + 9 > bytes.length) return null;
  return {
    width: Math.max(bytes.readUInt16LE(6), bytes.readUInt16LE(at + 1) + bytes.readUInt16LE(at + 5)),
    height: Math.max(bytes.readUInt16LE(8), bytes.readUInt16LE(at + 3) + bytes.readUInt16LE(at + 7)),
  };
}

function readWebpSize(bytes: Buffer, chunk: string): Pixels | null {
  if (chunk !== 'VP8X') return readWebpFrame(bytes, 12);
  const [width, height] = [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1];
  for (let at = 12; at + 18 <= bytes.length; ) {
    const frame = readWebpFrame(bytes, at);
    // Some decoders show the frame instead of the canvas.
    if (frame !== null)
      return { width: Math.max(width, frame.width), height: Math.max(height, frame.height) };
    const length = bytes.readUInt32LE(at + 4);
    at += 8 + length + (length & 1);
  }
  return null;
}

function readWebpFrame(bytes: Buffer, at: number): Pixels | null {
  switch (bytes.toString('latin1', at, at + 4)) {
    case 'VP8 ':
      return {
        width: bytes.readUInt16LE(at + 14) & 0x3fff,
        height: bytes.readUInt16LE(at + 16) & 0x3fff,
      };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(at + 9);
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    default:
      return null;
  }
}

/**
 * Follows the segments to the scan, and returns the largest frame. C0 to CF are frames, except for tables (C4,
 * CC) and C8. Null at other markers than these: decoders disagree on whether a length follows.
 */
function readJpegSize(bytes: Buffer): Pixels | null {
  const size = { width: 0, height: 0 };
  for (let at = 2; at + 9 <= bytes.length; ) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff) return null;
    if (marker === 0xda) return size;
    // Markers may be padded with FF.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isTable = marker === 0xc4 || marker === 0xcc || (marker >= 0xdb && marker <= 0xdd);
    const isFrame = (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc8) || marker === 0xde;
    const length = bytes.readUInt16BE(at + 2);
    if (length < 2 || !(isTable || isFrame || (marker >= 0xe0 && marker <= 0xef) || marker === 0xfe))
      return null;
    if (isFrame && !isTable) {
      size.width = Math.max(size.width, bytes.readUInt16BE(at + 7));
      size.height = Math.max(size.height, bytes.readUInt16BE(at + 5));
    }
    at += 2 + length;
  }
  return null;
}
