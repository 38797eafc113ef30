/**
 * Text as sound: a tone for each byte of it. A recording can be transcribed again, and its length depends on the text, as
 * for a voice.
 */

const TONE_RATE = 16_000;
/** 40 ms, in which each frequency has a whole number of periods. */
const SAMPLES_PER_TONE = 640;
const LOWEST_PERIODS = 12;
const VOLUME = 8_000;
const WAV_HEADER = 44;

/** The tone of each byte. */
const TONES = Array.from({ length: 256 }, (_, byte) => toTone(byte));
const BYTES = new Map(TONES.map((tone, byte) => [tone.toString('latin1'), byte]));

function toTone(byte: number): Buffer {
  const angle = (2 * Math.PI * (LOWEST_PERIODS + byte)) / SAMPLES_PER_TONE;
  const samples = Buffer.alloc(2 * SAMPLES_PER_TONE);
  for (let n = 0; n < SAMPLES_PER_TONE; n++)
    samples.writeInt16LE(Math.round(VOLUME * Math.sin(angle * n)), 2 * n);
  return samples;
}

/** Mono, 16 bits. */
export const speak = (text: string): Buffer =>
  Buffer.concat([...Buffer.from(text)].map((byte) => TONES[byte] as Buffer));

export function toWav(samples: Buffer): Buffer {
  const header = Buffer.alloc(WAV_HEADER);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(WAV_HEADER - 8 + samples.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(TONE_RATE, 24);
  header.writeUInt32LE(2 * TONE_RATE, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

/** The text of a recording that `speak` made; null of any other. */
export function transcribe(wav: Buffer): string | null {
  if (wav.toString('latin1', 0, 4) !== 'RIFF') return null;
  const bytes: number[] = [];
  for (let at = WAV_HEADER; at < wav.length; at += 2 * SAMPLES_PER_TONE) {
    const byte = BYTES.get(wav.toString('latin1', at, at + 2 * SAMPLES_PER_TONE));
    if (byte === undefined) return null;
    bytes.push(byte);
  }
  return Buffer.from(bytes).toString();
}

export const secondsOf = (wav: Buffer): number => (wav.length - WAV_HEADER) / (2 * TONE_RATE);
export const secondsOfText = (bytes: number): number => (bytes * SAMPLES_PER_TONE) / TONE_RATE;
