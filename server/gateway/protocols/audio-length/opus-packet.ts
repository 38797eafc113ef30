/** Samples per second of Opus, whatever was recorded. */
export const OPUS_RATE = 48_000;
const MOST_SECONDS = 0.12;

/** Milliseconds of a frame by the last bits of its configuration (RFC 6716, 3.1). */
const SILK = [10, 20, 40, 60];
const CELT = [2.5, 5, 10, 20];

/** The length of the packet that begins here. No packet has more than 120 ms. */
export function opusSeconds(bytes: Buffer, at: number): number {
  const first = bytes[at];
  if (first === undefined) return 0;
  const config = first >> 3;
  const lengths = config < 12 ? SILK : config < 16 ? [10, 20, 10, 20] : CELT;
  const frames = [1, 2, 2, (bytes[at + 1] ?? 0) & 0x3f][first & 3] ?? 1;
  return Math.min(MOST_SECONDS, (frames * (lengths[config % 4] ?? 60)) / 1_000);
}
