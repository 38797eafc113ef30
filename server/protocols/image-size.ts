import type { Pixels } from './neutral';

/** Reads the size of an image from the beginning of its file. The cost of the image depends on it. */

/** How much of an image is read: the size of a JPEG comes after its profiles and thumbnail. */
const BASE64_READ = 400_000;

/** Null when it is not a PNG, JPEG, GIF or WebP, or its size is not found. */
export function readImageSize(base64: string): Pixels | null {
  const bytes = Buffer.from(base64.slice(0, BASE64_READ), 'base64');
  const size = bytes.length < 30 ? null : readSize(bytes);
  return size !== null && size.width > 0 && size.height > 0 ? size : null;
}

function readSize(bytes: Buffer): Pixels | null {
  if (bytes.readUInt32BE(0) === 0x89504e47)
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (bytes.readUInt16BE(0) === 0xffd8) return readJpegSize(bytes);
  const beginning = bytes.toString('latin1', 0, 16);
  if (beginning.startsWith('GIF8')) return readGifSize(bytes);
  return /^RIFF.{4}WEBP/s.test(beginning) ? readWebpSize(bytes, beginning.slice(12)) : null;
}

/** Decoders enlarge the screen to the first frame. Null when no frame follows the extensions. */
function readGifSize(bytes: Buffer): Pixels | null {
  const flags = bytes[10] ?? 0;
  let at = 13 + (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);
  while (bytes[at] === 0x21) {
    for (at += 2; bytes[at]; ) at += 1 + (bytes[at] ?? 0);
    at++;
  }
  if (bytes[at] !== 0x2c || at + 9 > bytes.length) return null;
  return {
    width: Math.max(bytes.readUInt16LE(6), bytes.readUInt16LE(at + 1) + bytes.readUInt16LE(at + 5)),
    height: Math.max(bytes.readUInt16LE(8), bytes.readUInt16LE(at + 3) + bytes.readUInt16LE(at + 7)),
  };
}

function readWebpSize(bytes: Buffer, chunk: string): Pixels | null {
  switch (chunk) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    default:
      return null;
  }
}

/** Follows the segments to the frame header: C0 to CF, except C4, C8 and CC. */
function readJpegSize(bytes: Buffer): Pixels | null {
  for (let at = 2; at + 9 <= bytes.length; ) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff) return null;
    // Markers may be padded with FF.
    if (marker === 0xff) at += 1;
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}
