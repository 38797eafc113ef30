import { deflateSync } from 'node:zlib';

/** Images of a given size, and what vendors publish that they count as. */

export type Size = { width: number; height: number };

/** A whole PNG, black, of one bit per pixel. */
export function pngOf({ width, height }: Size): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const rows = deflateSync(Buffer.alloc((1 + Math.ceil(width / 8)) * height));
  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
  };
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const SCAN = Buffer.concat([Buffer.from([0xff, 0xda, 0, 8, 1]), Buffer.alloc(64)]);

/** The beginning of a JPEG: a profile of that many bytes precedes its size. */
export function jpegOf({ width, height }: Size, { profileBytes = 0 } = {}): Buffer {
  const segment = (marker: number, data: Buffer) => {
    const head = Buffer.from([0xff, marker, 0, 0]);
    head.writeUInt16BE(data.length + 2, 2);
    return Buffer.concat([head, data]);
  };
  const frame = Buffer.from([8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  frame.writeUInt16BE(height, 1);
  frame.writeUInt16BE(width, 3);
  const profiles: Buffer[] = [];
  for (let left = profileBytes; left > 0; left -= 60_000)
    profiles.push(segment(0xe2, Buffer.alloc(Math.min(left, 60_000))));
  return Buffer.concat([Buffer.from([0xff, 0xd8]), ...profiles, segment(0xc0, frame), SCAN]);
}

/** A GIF whose only frame may be larger than its screen: decoders grow the screen. */
export function gifOf(screen: Size, frame: Size = screen): Buffer {
  const size = ({ width, height }: Size) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt16LE(width, 0);
    bytes.writeUInt16LE(height, 2);
    return bytes;
  };
  const descriptor = Buffer.concat([Buffer.from([0x2c, 0, 0, 0, 0]), size(frame), Buffer.from([0])]);
  return Buffer.concat([
    Buffer.from('GIF89a'),
    size(screen),
    Buffer.from([0, 0, 0]),
    descriptor,
    Buffer.from([2, 1, 0x44, 0, 0x3b]),
    Buffer.alloc(16),
  ]);
}

export function webpOf({ width, height }: Size): Buffer {
  const canvas = Buffer.alloc(18);
  canvas.write('VP8X', 0);
  canvas.writeUInt32LE(10, 4);
  canvas.writeUIntLE(width - 1, 12, 3);
  canvas.writeUIntLE(height - 1, 15, 3);
  const riff = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1');
  riff.writeUInt32LE(canvas.length + 4, 4);
  const frame = Buffer.concat([Buffer.from('VP8 \x0a\0\0\0', 'latin1'), Buffer.alloc(24)]);
  return Buffer.concat([riff, canvas, frame]);
}

/** The size that a decoder finds; null for what is no image. */
export function sizeOf(file: Buffer): Size | null {
  const head = file.toString('latin1', 0, 16);
  if (head.startsWith('\x89PNG')) return { width: file.readUInt32BE(16), height: file.readUInt32BE(20) };
  if (head.startsWith('GIF8')) {
    const frame = file.indexOf(0x2c, 13);
    return {
      width: Math.max(file.readUInt16LE(6), file.readUInt16LE(frame + 5)),
      height: Math.max(file.readUInt16LE(8), file.readUInt16LE(frame + 7)),
    };
  }
  if (head.slice(8) === 'WEBPVP8X')
    return { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 };
  if (!head.startsWith('\xff\xd8')) return null;
  for (let at = 2; at < file.length; at += 2 + file.readUInt16BE(at + 2))
    if (file[at + 1] === 0xc0) return { width: file.readUInt16BE(at + 7), height: file.readUInt16BE(at + 5) };
  return null;
}

/** An image whose size nobody knows is as large as its model shows images at all. */
const UNSEEN: Size = { width: 12_000, height: 4_500 };

type Formula = (size: Size, isLowDetail: boolean) => number;

/** Sources: OpenAI "Images and vision", Anthropic "Vision", Google "Media resolution", Mistral "Vision". */
const FORMULAS: readonly (readonly [RegExp, Formula])[] = [
  [/^gpt-4o-mini/, tiled(2_833, 5_667)],
  [/^gpt-4\.1-mini|^gpt-5-mini/, patched(32, 1_536, 1.62)],
  [/^gpt-4\.1-nano|^gpt-5-nano/, patched(32, 1_536, 2.46)],
  [/^gpt-4/, tiled(85, 170)],
  [/^o4-mini/, patched(32, 1_536, 1.72)],
  [/^o\d/, tiled(75, 150)],
  [/^gpt-5$|^gpt-5\.1/, tiled(70, 140)],
  [/^gpt-/, patched(32, 10_000, 1.2)],
  [/^claude-(haiku|sonnet-4|opus-4-[0156])/, patched(28, 1_600, 1)],
  [/^claude-/, patched(28, 4_784, 1)],
  [/^gemini-2/, cropped],
  [/^gemini-/, () => 1_120],
  // xAI: six tiles at most, and one of the whole, of 256 tokens each.
  [/^grok-/, () => 1_792],
  [/^pixtral-12b/, patched(16, 4_096, 1)],
];

export function imageTokens(model: string, size: Size | null, isLowDetail = false): number {
  const name = model.slice(model.lastIndexOf('/') + 1);
  const formula = FORMULAS.find(([names]) => names.test(name))?.[1] ?? patched(28, 4_096, 1);
  return formula(size ?? UNSEEN, isLowDetail);
}

/** Squares of 512 pixels, after the image is shrunk to 2048 by 2048 and its shorter side to 768. */
function tiled(base: number, each: number): Formula {
  return ({ width, height }, isLowDetail) => {
    if (isLowDetail) return base;
    let [wide, high] = [width, height];
    if (Math.max(wide, high) > 2_048)
      [wide, high] = [(wide * 2_048) / Math.max(width, height), (high * 2_048) / Math.max(width, height)];
    const short = Math.min(wide, high);
    if (short > 768) [wide, high] = [(wide * 768) / short, (high * 768) / short];
    return base + each * Math.ceil(Math.floor(wide) / 512) * Math.ceil(Math.floor(high) / 512);
  };
}

function patched(side: number, most: number, factor: number): Formula {
  return ({ width, height }) =>
    Math.ceil(factor * Math.min(most, Math.ceil(width / side) * Math.ceil(height / side)));
}

function cropped({ width, height }: Size): number {
  if (width <= 384 && height <= 384) return 258;
  const side = Math.min(768, Math.max(256, Math.floor(Math.min(width, height) / 1.5)));
  return 258 * Math.min(96, Math.ceil(width / side) * Math.ceil(height / side));
}
