/** What is known of the length of a recording. */
export type MeasuredAudio = {
  format: AudioFormat;
  /** What was counted: what is charged if the provider reports nothing. */
  seconds: number;
  /** The most that a decoder finds in it, or that its own header says. */
  mostSeconds: number;
};

export const AUDIO_FORMATS = ['wav', 'mp3', 'm4a', 'webm', 'ogg', 'flac'] as const;
export type AudioFormat = (typeof AUDIO_FORMATS)[number];

/** Its length cannot be bounded. */
export class UnreadableAudio extends Error {}

/** A recording of 25 MB at the lowest bit rates has fewer parts; reading as many takes a tenth of a second. */
const MOST_PARTS = 1_500_000;
/** What begins like a frame and is none: of random bytes, one in some thousands does. */
const MOST_MISSES = 50_000;

/** Counts what is read of a file, so that no file holds up other requests. */
export class PartLimit {
  readonly #most: number;
  #parts = 0;
  #misses = 0;

  constructor(most = MOST_PARTS) {
    this.#most = most;
  }

  add(): void {
    if (++this.#parts > this.#most) throw new UnreadableAudio('has too many parts');
  }

  miss(): void {
    if (++this.#misses > MOST_MISSES) throw new UnreadableAudio('is damaged');
  }
}

/** What no microphone records would make a small file as long as its header says. */
export function requireRate(rate: number): number {
  if (rate < 4_000 || rate > 768_000) throw new UnreadableAudio(`has a sample rate of ${rate}`);
  return rate;
}
