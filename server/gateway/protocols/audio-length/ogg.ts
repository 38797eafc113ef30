import { type MeasuredAudio, PartLimit, requireRate, UnreadableAudio } from './measured-audio';
import { OPUS_RATE, opusSeconds } from './opus-packet';

const PAGE_HEADER = 27;
const STREAM_NUMBER = 14;

type Codec = { rate: number; lengthOf: (bytes: Buffer, at: number) => number };

/**
 * Counts the packets of everything that may be a page: a decoder that has lost its way looks for the next page too. They
 * must belong to one stream, as those of another codec would have other lengths. A packet of Vorbis counts with its
 * longest block.
 */
export function measureOgg(bytes: Buffer): MeasuredAudio {
  const codec = readCodec(bytes);
  const stream = bytes.readUInt32LE(STREAM_NUMBER);
  const limit = new PartLimit();
  let counted = 0;
  let declared = 0;
  for (let at = 0; at !== -1; at = bytes.indexOf('OggS', at + 4, 'latin1')) {
    if (at + PAGE_HEADER > bytes.length) break;
    if (bytes.readUInt32LE(at + STREAM_NUMBER) !== stream) throw severalStreams();
    counted += countPage(bytes, at, codec, limit);
    const granule = bytes.readBigInt64LE(at + 6);
    if (granule > 0n) declared = Math.max(declared, Number(granule) / codec.rate);
  }
  return { format: 'ogg', seconds: counted, mostSeconds: Math.max(declared, counted) };
}

const severalStreams = (): UnreadableAudio => new UnreadableAudio('must have one stream');

const HEADERS = ['OpusHead', '\x01vorbis'];

function readCodec(bytes: Buffer): Codec {
  const segments = bytes[PAGE_HEADER - 1] ?? 0;
  const at = PAGE_HEADER + segments;
  // Decoders begin again where another header follows.
  for (const header of HEADERS) if (bytes.includes(header, at + 1, 'latin1')) throw severalStreams();
  if (bytes.toString('latin1', at, at + 8) === 'OpusHead') return { rate: OPUS_RATE, lengthOf: opusSeconds };
  if (bytes.toString('latin1', at + 1, at + 7) !== 'vorbis' || at + 30 > bytes.length)
    throw new UnreadableAudio('contains neither Opus nor Vorbis');
  const rate = requireRate(bytes.readUInt32LE(at + 12));
  const seconds = 2 ** ((bytes[at + 28] ?? 0) >> 4) / 2 / rate;
  return { rate, lengthOf: () => seconds };
}

/** A packet ends with a segment of fewer than 255 bytes, and may begin on an earlier page. */
function countPage(bytes: Buffer, page: number, { lengthOf }: Codec, limit: PartLimit): number {
  const segments = bytes[page + PAGE_HEADER - 1] ?? 0;
  let at = page + PAGE_HEADER + segments;
  let isNew = ((bytes[page + 5] ?? 0) & 1) === 0;
  let seconds = 0;
  for (let segment = 0; segment < segments; segment++) {
    const length = bytes[page + PAGE_HEADER + segment] ?? 0;
    limit.add();
    if (isNew && length > 0) seconds += lengthOf(bytes, at);
    isNew = length < 255;
    at += length;
  }
  return seconds;
}
