import { type MeasuredAudio, PartLimit, UnreadableAudio } from './measured-audio';
import { opusSeconds } from './opus-packet';

/** Elements that contain others. */
const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;
const TRACK = 0xae;
const PARENTS = new Set([SEGMENT, CLUSTER, TRACK, 0x1654ae6b, 0x1549a966, 0xa0]);
/** Their sizes may be unknown: they end where the file, or the next cluster, does. */
const OPEN_ENDED = new Set([SEGMENT, CLUSTER]);
const CLUSTER_ID = Buffer.from('1f43b675', 'hex');

const DURATION = 0x4489;
const TIMESTAMP_SCALE = 0x2ad7b1;
const TIMESTAMP = 0xe7;
const CODEC = 0x86;
const TRACK_TYPE = 0x83;
const SIMPLE_BLOCK = 0xa3;
const BLOCK = 0xa1;
const CONTENT_ENCODINGS = 0x6d80;

const AUDIO = 2;
/** With lacing, a block has up to 256 packets. */
const LACED_SECONDS = 0.12;

type Progress = {
  scale: number;
  duration: number;
  cluster: number;
  last: number;
  counted: number;
  audio: number;
};

/**
 * Counts the packets of all blocks. Whatever could be read in more than one way is refused: elements without end, or with
 * another size than that of their parents, and clusters inside others, where a decoder that has lost its way would go on.
 */
export function measureWebm(bytes: Buffer): MeasuredAudio {
  const progress: Progress = { scale: 1_000_000, duration: 0, cluster: 0, last: 0, counted: 0, audio: 0 };
  const ends: number[] = [];
  const limit = new PartLimit();
  let clusters = countClusters(bytes);
  for (let at = 0; at < bytes.length; ) {
    while (ends.length > 0 && at >= (ends.at(-1) ?? 0)) ends.pop();
    limit.add();
    const element = readElement(bytes, at);
    if (element === null) break;
    const { id, from, to } = element;
    if (id === CLUSTER) {
      ends.length = Math.min(ends.length, 1);
      clusters--;
    }
    if (to > (ends.at(-1) ?? Number.POSITIVE_INFINITY)) throw unreadable();
    if (PARENTS.has(id)) ends.push(to);
    else if (id === SIMPLE_BLOCK || id === BLOCK) readBlock(bytes, from, progress);
    else readLeaf(id, bytes.subarray(from, to), progress);
    at = PARENTS.has(id) ? from : to;
  }
  if (clusters !== 0) throw unreadable();
  const { scale, duration, last, counted, audio } = progress;
  if (audio !== 1) throw new UnreadableAudio('must have one audio track');
  const declared = (Math.max(duration, last) * scale) / 1e9;
  return { format: 'webm', seconds: counted, mostSeconds: Math.max(counted, declared) };
}

const unreadable = (): UnreadableAudio => new UnreadableAudio('has elements that overlap');

/** Recorders begin a cluster every few seconds. */
const MOST_CLUSTERS = 100_000;

function countClusters(bytes: Buffer): number {
  const limit = new PartLimit(MOST_CLUSTERS);
  let count = 0;
  for (let at = bytes.indexOf(CLUSTER_ID); at !== -1; at = bytes.indexOf(CLUSTER_ID, at + 4)) {
    limit.add();
    count++;
  }
  return count;
}

/** Null at the end of a file that was cut off. */
function readElement(bytes: Buffer, at: number): { id: number; from: number; to: number } | null {
  const idLength = Math.clz32((bytes[at] ?? 0) << 24) + 1;
  if (idLength > 4) throw unreadable();
  const first = bytes[at + idLength];
  if (first === undefined || at + idLength > bytes.length) return null;
  const id = bytes.readUIntBE(at, idLength);
  const sizeLength = Math.clz32(first << 24) + 1;
  const from = at + idLength + sizeLength;
  if (sizeLength > 8) throw unreadable();
  if (from > bytes.length) return null;
  let size = first & (0xff >> sizeLength);
  let isUnknown = size === 0xff >> sizeLength;
  for (let next = at + idLength + 1; next < from; next++) {
    const byte = bytes[next] ?? 0;
    size = size * 256 + byte;
    isUnknown &&= byte === 0xff;
  }
  if (isUnknown && !OPEN_ENDED.has(id)) throw unreadable();
  return { id, from, to: isUnknown ? Number.POSITIVE_INFINITY : from + size };
}

function readLeaf(id: number, content: Buffer, progress: Progress): void {
  if (id === TIMESTAMP_SCALE) progress.scale = readNumber(content);
  else if (id === DURATION) progress.duration = Math.max(progress.duration, readFloat(content));
  else if (id === TIMESTAMP) progress.cluster = readNumber(content);
  else if (id === TRACK_TYPE && readNumber(content) === AUDIO) progress.audio++;
  else if (id === CODEC && /^A_(?!OPUS)/.test(content.toString('latin1')))
    throw new UnreadableAudio('has audio that is not Opus');
  else if (id === CONTENT_ENCODINGS) throw new UnreadableAudio('has compressed or encrypted blocks');
}

/** The track, two bytes of time, flags, and then packets. */
function readBlock(bytes: Buffer, from: number, progress: Progress): void {
  const at = from + Math.clz32((bytes[from] ?? 0) << 24) + 4;
  if (at > bytes.length) return;
  progress.last = Math.max(progress.last, progress.cluster + bytes.readInt16BE(at - 3));
  const isLaced = ((bytes[at - 1] ?? 0) & 6) !== 0;
  progress.counted += isLaced ? LACED_SECONDS * ((bytes[at] ?? 0) + 1) : opusSeconds(bytes, at);
}

function readNumber(content: Buffer): number {
  if (content.length === 0 || content.length > 8) return 0;
  return content.reduce((sum, byte) => sum * 256 + byte, 0);
}

function readFloat(content: Buffer): number {
  const value =
    content.length === 4 ? content.readFloatBE() : content.length === 8 ? content.readDoubleBE() : 0;
  return Number.isFinite(value) && value > 0 ? value : 0;
}
