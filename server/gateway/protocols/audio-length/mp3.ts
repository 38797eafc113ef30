import { type MeasuredAudio, PartLimit } from './measured-audio';

/** kbit/s of layer III, of MPEG-1 and of MPEG-2 and 2.5. */
const BIT_RATES = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const;
const RATES = [44_100, 48_000, 32_000] as const;
/** No frame of any layer has fewer, unless its bit rate is free: 8 kbit/s. */
const LEAST_BYTES_PER_SECOND = 1_000;
/** Of any layer: 1,152 samples at 8 kHz. */
const LONGEST_FRAME_SECONDS = 0.144;

type Frame = { bytes: number; seconds: number };

/**
 * Counts the frames. What is between them, which another decoder could take for frames, counts at the lowest bit rate.
 * So do tags, except for the one at the beginning, as no decoder looks into it. A frame of a free bit rate may have even
 * fewer bytes, and counts as the longest.
 */
export function measureMp3(bytes: Buffer): MeasuredAudio {
  let seconds = 0;
  let others = 0;
  let free = 0;
  let at = endOfTag(bytes);
  const first = at;
  const limit = new PartLimit();
  while (at < bytes.length) {
    const frame = readFrame(bytes, at);
    if (frame === null) {
      limit.miss();
      if (hasFreeRate(bytes, at)) free++;
      const next = bytes.indexOf(0xff, at + 1);
      const end = next === -1 ? bytes.length : next;
      others += end - at;
      at = end;
    } else {
      limit.add();
      seconds += frame.seconds;
      at += frame.bytes;
    }
  }
  const declared = readDeclared(bytes, first);
  const mostSeconds = Math.max(
    seconds + others / LEAST_BYTES_PER_SECOND + free * LONGEST_FRAME_SECONDS,
    declared,
  );
  return { format: 'mp3', seconds: seconds || mostSeconds, mostSeconds };
}

/** FFmpeg reads a file with fewer at the beginning as the format that it finds most of, such as AAC or FLAC. */
const FIRST_FRAMES = 7;

/** Whether it begins with frames that follow each other. */
export function isMp3(bytes: Buffer): boolean {
  let at = endOfTag(bytes);
  for (let frames = 0; frames < FIRST_FRAMES && (frames === 0 || at < bytes.length); frames++) {
    const frame = readFrame(bytes, at);
    if (frame === null) return false;
    at += frame.bytes;
  }
  return true;
}

function readFrame(bytes: Buffer, at: number): Frame | null {
  if (bytes[at] !== 0xff || at + 4 > bytes.length) return null;
  const [second = 0, third = 0] = [bytes[at + 1], bytes[at + 2]];
  const version = (second >> 3) & 3;
  const isLayer3 = (second & 0xe6) === 0xe2;
  const rate = RATES[(third >> 2) & 3];
  const kilobits = BIT_RATES[version === 3 ? 0 : 1][third >> 4];
  if (!isLayer3 || version === 1 || rate === undefined || !kilobits) return null;
  const sampleRate = rate / (version === 3 ? 1 : version === 2 ? 2 : 4);
  const samples = version === 3 ? 1_152 : 576;
  const length = Math.floor((samples * 125 * kilobits) / sampleRate) + ((third >> 1) & 1);
  return { bytes: length, seconds: samples / sampleRate };
}

const hasFreeRate = (bytes: Buffer, at: number): boolean => {
  const [first = 0, second = 0, third = 0xff] = bytes.subarray(at, at + 3);
  return first === 0xff && second >= 0xe0 && third < 0x10;
};

/**
 * After an ID3v2 tag and zeros. Decoders look for frames in a tag that is malformed: its size has seven bits in each
 * byte, and its flags are the first four bits.
 */
function endOfTag(bytes: Buffer): number {
  const [version = 0, revision = 0xff, flags = 0, ...size] = bytes.subarray(3, 10);
  const isTag = bytes.toString('latin1', 0, 3) === 'ID3' && size.length === 4;
  const isWellFormed = version >= 2 && version <= 4 && revision !== 0xff && (flags & 15) === 0;
  if (!isTag || !isWellFormed || size.some((byte) => byte > 0x7f)) return 0;
  let at = 10 + size.reduce((sum, byte) => sum * 128 + byte, 0);
  while (bytes[at] === 0) at++;
  return Math.min(bytes.length, at);
}

/** What a header of Xing or VBRI says. */
function readDeclared(bytes: Buffer, at: number): number {
  const frame = readFrame(bytes, at);
  if (frame === null) return 0;
  const head = bytes.subarray(at, at + frame.bytes);
  const xing = Math.max(head.indexOf('Xing', 0, 'latin1'), head.indexOf('Info', 0, 'latin1'));
  const vbri = head.indexOf('VBRI', 0, 'latin1');
  const hasCount = xing >= 0 && xing + 12 <= head.length && (head.readUInt32BE(xing + 4) & 1) === 1;
  if (hasCount) return head.readUInt32BE(xing + 8) * frame.seconds;
  return vbri >= 0 && vbri + 18 <= head.length ? head.readUInt32BE(vbri + 14) * frame.seconds : 0;
}
