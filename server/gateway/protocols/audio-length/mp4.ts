import { type MeasuredAudio, PartLimit, requireRate, UnreadableAudio } from './measured-audio';

/** Boxes that contain others. */
const PARENTS = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'moof', 'traf']);
const READ = new Set(['free', 'trun', 'mvhd', 'mdhd', 'hdlr', 'stsz', 'stz2', 'stsd']);
const MOST_DEPTH = 8;
const MOST_BOXES = 100_000;
/** Compressed headers, and those of other decoders. */
const UNREAD = new Set(['cmov', 'hoov', 'dcom']);
/** A frame of AAC. With SBR it has twice as many samples at twice the rate. */
const SAMPLES = 1_024;
const RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];
/** The codec of MPEG-4, whose kind the configuration says. */
const AAC = 0x40;
/** AAC-LC, SBR and PS. */
const OBJECT_TYPES = new Set([2, 5, 29]);

type Track = { isAudio: boolean; samples: number; rate: number };
type Progress = { tracks: Track[]; fragments: number; declared: number };

/**
 * Counts the samples in the tables, each of which is one frame for the decoder: the times in the tables may say anything.
 * Whatever could be read in more than one way is refused.
 */
export function measureMp4(bytes: Buffer): MeasuredAudio {
  const progress: Progress = { tracks: [], fragments: 0, declared: 0 };
  const ends: number[] = [bytes.length];
  const limit = new PartLimit(MOST_BOXES);
  for (let at = 0; at + 8 <= bytes.length; ) {
    while (ends.length > 1 && at >= (ends.at(-1) ?? 0)) ends.pop();
    limit.add();
    const { type, from, to } = readBox(bytes, at);
    const isCutOff = ends.length === 1 && to > bytes.length && type === 'mdat';
    if ((to > (ends.at(-1) ?? 0) && !isCutOff) || UNREAD.has(type)) throw unreadable();
    if (type === 'trak') progress.tracks.push({ isAudio: false, samples: 0, rate: 0 });
    if (PARENTS.has(type)) ends.push(to);
    else if (READ.has(type)) readLeaf(type, bytes.subarray(from, to), progress);
    if (ends.length > MOST_DEPTH) throw unreadable();
    at = PARENTS.has(type) ? from : to;
  }
  return sumTracks(progress, bytes.length);
}

function sumTracks({ tracks, fragments, declared }: Progress, mostSamples: number): MeasuredAudio {
  const audio = tracks.filter(({ isAudio }) => isAudio);
  const [track] = audio;
  if (track === undefined || audio.length > 1) throw new UnreadableAudio('must have one audio track');
  if (track.rate === 0) throw new UnreadableAudio('has audio that is not AAC');
  const counted = (Math.min(mostSamples, track.samples + fragments) * SAMPLES) / track.rate;
  return { format: 'm4a', seconds: counted, mostSeconds: Math.max(counted, declared) };
}

const unreadable = (): UnreadableAudio => new UnreadableAudio('has boxes that overlap, or that are too deep');

function readBox(bytes: Buffer, at: number): { type: string; from: number; to: number } {
  const size = bytes.readUInt32BE(at);
  const type = bytes.toString('latin1', at + 4, at + 8);
  if (size === 0) return { type, from: at + 8, to: bytes.length };
  if (size === 1) {
    if (at + 16 > bytes.length) throw unreadable();
    const long = Number(bytes.readBigUInt64BE(at + 8));
    if (long < 16) throw unreadable();
    return { type, from: at + 16, to: at + long };
  }
  if (size < 8) throw unreadable();
  return { type, from: at + 8, to: at + size };
}

function readLeaf(type: string, content: Buffer, progress: Progress): void {
  const track = progress.tracks.at(-1);
  if (type === 'free' && /^(mvhd|cmov)$/.test(content.toString('latin1', 4, 8))) throw unreadable();
  if (type === 'trun' && content.length >= 8) progress.fragments += content.readUInt32BE(4);
  if (type === 'mvhd' || type === 'mdhd')
    progress.declared = Math.max(progress.declared, readDuration(content));
  if (track === undefined) return;
  if (type === 'hdlr' && content.toString('latin1', 8, 12) === 'soun') track.isAudio = true;
  else if ((type === 'stsz' || type === 'stz2') && content.length >= 12)
    track.samples += content.readUInt32BE(8);
  else if (type === 'stsd' && content.includes('mp4a', 0, 'latin1')) track.rate = readRate(content);
}

function readDuration(content: Buffer): number {
  const isLong = content[0] === 1;
  if (content.length < (isLong ? 32 : 20)) return 0;
  const scale = content.readUInt32BE(isLong ? 20 : 12);
  const duration = isLong ? Number(content.readBigUInt64BE(24)) : content.readUInt32BE(16);
  const isUnknown = duration === 0xffffffff || duration >= 2 ** 63;
  return scale === 0 || isUnknown ? 0 : duration / scale;
}

/** The rate in the decoder's own configuration, which is inside descriptors. */
function readRate(entries: Buffer): number {
  const start = entries.indexOf('esds', 0, 'latin1');
  if (entries.readUInt32BE(4) !== 1 || start === -1 || entries.includes('esds', start + 4, 'latin1'))
    throw new UnreadableAudio('must have one configuration of AAC');
  let at = start + 8;
  const enter = (tag: number, skipped: number): void => {
    if (entries[at] !== tag) throw new UnreadableAudio('has no configuration of AAC');
    at++;
    for (let byte = 0x80; byte >= 0x80 && at < entries.length; at++) byte = entries[at] ?? 0;
    at += skipped;
  };
  enter(3, 2);
  // Flags add fields, which could contain another configuration.
  if (((entries[at++] ?? 0) & 0xe0) !== 0) throw new UnreadableAudio('must have one configuration of AAC');
  enter(4, 0);
  // MP3, for example, has many frames in each sample.
  if (entries[at] !== AAC) throw new UnreadableAudio('has audio that is not AAC');
  at += 13;
  enter(5, 0);
  const [first = 0, second = 0] = entries.subarray(at, at + 2);
  const rate = RATES[((first & 7) << 1) | (second >> 7)];
  if (!OBJECT_TYPES.has(first >> 3) || rate === undefined)
    throw new UnreadableAudio('has a configuration of AAC whose length is not known');
  return requireRate(rate);
}
