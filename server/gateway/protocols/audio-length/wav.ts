import { type MeasuredAudio, PartLimit, requireRate, UnreadableAudio } from './measured-audio';

/** PCM, floats, A-law and µ-law, whose samples have a fixed size. Others are compressed, by how much only a decoder knows. */
const PLAIN = new Set([1, 3, 6, 7]);
const EXTENSIBLE = 0xfffe;
/** Before the samples: 25 MB of empty chunks would take 400 ms. */
const MOST_CHUNKS = 10_000;

/** Everything after the beginning of the samples counts: a decoder reads on where the size in the header is wrong. */
export function measureWav(bytes: Buffer): MeasuredAudio {
  let bytesPerSecond = 0;
  const limit = new PartLimit(MOST_CHUNKS);
  for (let at = 12; at + 8 <= bytes.length; ) {
    limit.add();
    const id = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    if (id === 'data') {
      if (bytesPerSecond === 0) break;
      const seconds = (bytes.length - at - 8) / bytesPerSecond;
      return { format: 'wav', seconds, mostSeconds: seconds };
    }
    if (id === 'fmt ') {
      if (bytesPerSecond > 0) throw new UnreadableAudio('has two formats');
      bytesPerSecond = readRate(bytes.subarray(at + 8, at + 8 + size));
    }
    at += 8 + size + (size % 2);
  }
  throw new UnreadableAudio('has no samples');
}

function readRate(format: Buffer): number {
  if (format.length < 16) throw new UnreadableAudio('has a short header');
  const tag = format.readUInt16LE(0);
  const kind = tag === EXTENSIBLE && format.length >= 26 ? format.readUInt16LE(24) : tag;
  const channels = format.readUInt16LE(2);
  const bits = format.readUInt16LE(14);
  const hasKnownSize = PLAIN.has(kind) && bits > 0 && bits <= 64 && bits % 8 === 0;
  if (!hasKnownSize || channels === 0 || channels > 32)
    throw new UnreadableAudio('is compressed in a way whose length its header does not say');
  if (format.readUInt16LE(12) !== (channels * bits) / 8)
    throw new UnreadableAudio('has samples of another size than its header says');
  return (requireRate(format.readUInt32LE(4)) * channels * bits) / 8;
}
