/**
 * Text as sound: a tone for each byte of it. A recording can be transcribed again, and its length depends on the text, as
 * for a voice.
 */

export const TONE_RATE = 16_000;
/** 40 ms, in which each frequency has a whole number of periods. */
const SAMPLES_PER_TONE = 640;
const LOWEST_PERIODS = 12;
const VOLUME = 8_000;
const WAV_HEADER = 44;

export const secondsOf = (wav: Buffer): number => (wav.length - WAV_HEADER) / (2 * TONE_RATE);

/** Mono, 16 bits. */
export function speak(text: string): Buffer {
  const bytes = Buffer.from(text);
  const samples = Buffer.alloc(2 * SAMPLES_PER_TONE * bytes.length);
  for (const [index, byte] of bytes.entries())
    for (let n = 0; n < SAMPLES_PER_TONE; n++)
      samples.writeInt16LE(
        Math.round(VOLUME * Math.sin(angleOf(byte) * n)),
        2 * (index * SAMPLES_PER_TONE + n),
      );
  return samples;
}

const angleOf = (byte: number): number => (2 * Math.PI * (LOWEST_PERIODS + byte)) / SAMPLES_PER_TONE;

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
  const samples = wav.subarray(WAV_HEADER);
  const bytes: number[] = [];
  for (let at = 0; at + 2 * SAMPLES_PER_TONE <= samples.length; at += 2 * SAMPLES_PER_TONE)
    bytes.push(loudest(samples.subarray(at, at + 2 * SAMPLES_PER_TONE)));
  const text = Buffer.from(bytes);
  return speak(text.toString()).equals(samples) ? text.toString() : null;
}

/** By the strength of each frequency (Goertzel). */
function loudest(tone: Buffer): number {
  let [most, found] = [0, 0];
  for (let byte = 0; byte < 256; byte++) {
    const factor = 2 * Math.cos(angleOf(byte));
    let [one, two] = [0, 0];
    for (let at = 0; at < tone.length; at += 2) [one, two] = [tone.readInt16LE(at) + factor * one - two, one];
    const strength = one * one + two * two - factor * one * two;
    if (strength > most) [most, found] = [strength, byte];
  }
  return found;
}
