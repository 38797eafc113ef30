import { type MeasuredAudio, PartLimit, requireRate, UnreadableAudio } from './measured-audio';

const RATES = [0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000];
/** Of frames of a fixed and of a variable size. */
const STARTS = [Buffer.from([0xff, 0xf8]), Buffer.from([0xff, 0xf9])];
const STREAM_INFO = 8;
const STREAM_INFO_BYTES = 34;
const LEAST_BYTES = 42;

/**
 * Counts everything that may be a frame: a decoder requires the same header with its checksum. Of random bytes, one in
 * some ten million begins one.
 */
export function measureFlac(bytes: Buffer): MeasuredAudio {
  if (bytes.length < LEAST_BYTES) throw new UnreadableAudio('has a short header');
  // A decoder may skip other blocks until it finds this one.
  if ((bytes.readUInt32BE(4) & 0x7fffffff) !== STREAM_INFO_BYTES)
    throw new UnreadableAudio('does not begin with its stream information');
  const info = bytes.subarray(STREAM_INFO);
  const rate = requireRate(info.readUIntBE(10, 3) >> 4);
  const declared = (((info[13] ?? 0) & 15) * 2 ** 32 + info.readUInt32BE(14)) / rate;
  const limit = new PartLimit();
  let counted = 0;
  for (const start of STARTS)
    for (let at = bytes.indexOf(start, LEAST_BYTES); at !== -1; at = bytes.indexOf(start, at + 2)) {
      const seconds = readSeconds(bytes, at, rate);
      if (seconds === 0) limit.miss();
      else limit.add();
      counted += seconds;
    }
  return { format: 'flac', seconds: counted, mostSeconds: Math.max(declared, counted) };
}

/** Of the frame that begins here; 0 if none does. */
function readSeconds(bytes: Buffer, start: number, rateOfStream: number): number {
  const third = bytes[start + 2] ?? 0;
  const fourth = bytes[start + 3] ?? 0;
  const sizeCode = third >> 4;
  const rateCode = third & 15;
  if (sizeCode === 0 || rateCode === 15 || (fourth & 1) === 1) return 0;
  let at = start + 4 + lengthOfNumber(bytes[start + 4] ?? 0);
  const next = (count: number): number => {
    at += count;
    return at <= bytes.length ? bytes.readUIntBE(at - count, count) : 0;
  };
  const samples = readSamples(sizeCode, next);
  const rate = readRate(rateCode, rateOfStream, next);
  if (at >= bytes.length || rate === 0 || bytes[at] !== checksum(bytes.subarray(start, at))) return 0;
  return samples / rate;
}

/** The number of a frame is coded like a character of UTF-8. */
const lengthOfNumber = (first: number): number => (first < 0x80 ? 1 : Math.clz32(~(first << 24)));

function readSamples(code: number, next: (count: number) => number): number {
  if (code === 6) return next(1) + 1;
  if (code === 7) return next(2) + 1;
  if (code === 1) return 192;
  return code < 6 ? 576 * 2 ** (code - 2) : 256 * 2 ** (code - 8);
}

function readRate(code: number, rateOfStream: number, next: (count: number) => number): number {
  if (code === 0) return rateOfStream;
  if (code === 12) return next(1) * 1_000;
  if (code === 13) return next(2);
  return code === 14 ? next(2) * 10 : (RATES[code] ?? 0);
}

/** CRC-8 with the polynomial 7. */
function checksum(header: Buffer): number {
  let crc = 0;
  for (const byte of header) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80 ? ((crc << 1) ^ 7) & 0xff : crc << 1;
  }
  return crc;
}
