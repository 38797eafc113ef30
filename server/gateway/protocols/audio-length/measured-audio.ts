/** What is known of the length of a recording. */
export type MeasuredAudio = {
  format: AudioFormat;
  /** As a player shows it. */
  seconds: number;
  /** The most that a decoder finds in it, or that its own header says. */
  mostSeconds: number;
};

export const AUDIO_FORMATS = ['wav', 'mp3', 'm4a', 'webm', 'ogg', 'flac'] as const;
export type AudioFormat = (typeof AUDIO_FORMATS)[number];

/** Its length cannot be bounded. */
export class UnreadableAudio extends Error {}

/** What no microphone records would make a small file as long as its header says. */
export function requireRate(rate: number): number {
  if (rate < 4_000 || rate > 768_000) throw new UnreadableAudio(`has a sample rate of ${rate}`);
  return rate;
}
