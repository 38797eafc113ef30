/**
 * The smallest video that browsers play: H.264 (constrained baseline) whose frames are samples without compression
 * (I_PCM), in an MP4 file. Samples are never below 16, so that no bytes look like a start code.
 */

export type Frames = { width: number; height: number; perSecond: number; count: number };

/** The brightness and the two colour differences of a pixel, 16 to 235. */
export type Paint = (frame: number, x: number, y: number) => readonly [y: number, cb: number, cr: number];

const BLOCK = 16;

/** `width` and `height` are multiples of 16. */
export function writeMp4(frames: Frames, paint: Paint): Buffer {
  const samples = Array.from({ length: frames.count }, (_, index) => {
    const unit = writeFrame(frames, index, paint);
    return Buffer.concat([uint32(unit.length), unit]);
  });
  const head = box('ftyp', text('isom'), uint32(512), text('isomiso2avc1mp41'));
  const data = box('mdat', ...samples);
  const sizes = samples.map(({ length }) => length);
  const firstSample = head.length + 8;
  return Buffer.concat([head, data, writeMovie(frames, sizes, firstSample)]);
}

function writeFrame({ width, height }: Frames, index: number, paint: Paint): Buffer {
  const blocks: Buffer[] = [];
  // An IDR slice of type I; consecutive ones have different ids.
  const start = `1${'0001000'}1${'0000'}${index % 2 === 0 ? '1' : '010'}${'00'}1`;
  for (let top = 0; top < height; top += BLOCK)
    for (let left = 0; left < width; left += BLOCK)
      blocks.push(toBytes((blocks.length === 0 ? start : '') + I_PCM), paintBlock(index, left, top, paint));
  return Buffer.concat([Buffer.of(0x65), ...blocks, Buffer.of(0x80)]);
}

const I_PCM = '000011010';

function paintBlock(frame: number, left: number, top: number, paint: Paint): Buffer {
  const at = (n: number, side: number, step: number) =>
    paint(frame, left + step * (n % side), top + step * Math.floor(n / side)).map((part) =>
      Math.max(16, Math.min(235, Math.round(part))),
    );
  const luma = Array.from({ length: 256 }, (_, n) => at(n, 16, 1)[0] ?? 16);
  const chroma = Array.from({ length: 64 }, (_, n) => at(n, 8, 2));
  return Buffer.from([...luma, ...chroma.map(([, cb = 128]) => cb), ...chroma.map(([, , cr = 128]) => cr)]);
}

/** A count as Exp-Golomb bits. */
function golomb(value: number): string {
  const bits = (value + 1).toString(2);
  return '0'.repeat(bits.length - 1) + bits;
}

const toBytes = (bits: string): Buffer => {
  const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, '0');
  return Buffer.from(
    Array.from({ length: padded.length / 8 }, (_, n) => Number.parseInt(padded.slice(8 * n, 8 * n + 8), 2)),
  );
};

const PROFILE = Buffer.of(66, 0xc0, 30);

const sequenceSet = ({ width, height }: Frames): Buffer =>
  Buffer.concat([
    Buffer.of(0x67),
    PROFILE,
    toBytes(`11${golomb(2)}10${golomb(width / BLOCK - 1)}${golomb(height / BLOCK - 1)}10001`),
  ]);

const PICTURE_SET = Buffer.concat([Buffer.of(0x68), toBytes('110011100011100' + '0' + '1')]);

function writeMovie(frames: Frames, sizes: readonly number[], firstSample: number): Buffer {
  const { width, height, perSecond, count } = frames;
  const matrix = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000].map(uint32);
  const none = Buffer.alloc(8);
  const movie = fullBox(
    'mvhd',
    0,
    none,
    uint32(perSecond),
    uint32(count),
    uint32(0x10000),
    uint16(0x100),
    Buffer.alloc(10),
    ...matrix,
    Buffer.alloc(24),
    uint32(2),
  );
  const track = fullBox(
    'tkhd',
    3,
    none,
    uint32(1),
    uint32(0),
    uint32(count),
    none,
    Buffer.alloc(8),
    ...matrix,
    uint32(width << 16),
    uint32(height << 16),
  );
  const media = fullBox('mdhd', 0, none, uint32(perSecond), uint32(count), uint16(0x55c4), uint16(0));
  const handler = fullBox('hdlr', 0, uint32(0), text('vide'), Buffer.alloc(13));
  const tables = box('stbl', describeSamples(frames), ...indexSamples(sizes, firstSample));
  const source = box('dinf', fullBox('dref', 0, uint32(1), fullBox('url ', 1)));
  const info = box('minf', fullBox('vmhd', 1, none), source, tables);
  return box('moov', movie, box('trak', track, box('mdia', media, handler, info)));
}

function describeSamples(frames: Frames): Buffer {
  const sequence = sequenceSet(frames);
  const configuration = box(
    'avcC',
    Buffer.of(1),
    PROFILE,
    Buffer.of(0xff, 0xe1),
    uint16(sequence.length),
    sequence,
    Buffer.of(1),
    uint16(PICTURE_SET.length),
    PICTURE_SET,
  );
  const entry = box(
    'avc1',
    Buffer.alloc(6),
    uint16(1),
    Buffer.alloc(16),
    uint16(frames.width),
    uint16(frames.height),
    uint32(0x480000),
    uint32(0x480000),
    uint32(0),
    uint16(1),
    Buffer.alloc(32),
    uint16(24),
    uint16(0xffff),
    configuration,
  );
  return fullBox('stsd', 0, uint32(1), entry);
}

/** Each frame lasts as long as the others; all are in one chunk. */
const indexSamples = (sizes: readonly number[], firstSample: number): Buffer[] => [
  fullBox('stts', 0, uint32(1), uint32(sizes.length), uint32(1)),
  fullBox('stsc', 0, uint32(1), uint32(1), uint32(sizes.length), uint32(1)),
  fullBox('stsz', 0, uint32(0), uint32(sizes.length), ...sizes.map(uint32)),
  fullBox('stco', 0, uint32(1), uint32(firstSample)),
];

const text = (letters: string): Buffer => Buffer.from(letters, 'latin1');
function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
const uint16 = (value: number): Buffer => uint32(value).subarray(2);

function box(name: string, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([uint32(content.length + 8), text(name), content]);
}

const fullBox = (name: string, flags: number, ...contents: Buffer[]): Buffer =>
  box(name, uint32(flags), ...contents);
