import { measureFlac } from './flac';
import { type MeasuredAudio, UnreadableAudio } from './measured-audio';
import { isMp3, measureMp3 } from './mp3';
import { measureMp4 } from './mp4';
import { measureOgg } from './ogg';
import { measureWav } from './wav';
import { measureWebm } from './webm';

const startsWith = (text: string, at = 0) => {
  const start = Buffer.from(text, 'latin1');
  return (bytes: Buffer): boolean => bytes.subarray(at, at + start.length).equals(start);
};

const FORMATS: readonly (readonly [(bytes: Buffer) => boolean, (bytes: Buffer) => MeasuredAudio])[] = [
  [(bytes) => startsWith('RIFF')(bytes) && startsWith('WAVE', 8)(bytes), measureWav],
  [startsWith('fLaC'), measureFlac],
  [startsWith('OggS'), measureOgg],
  [startsWith('\x1a\x45\xdf\xa3'), measureWebm],
  [startsWith('ftyp', 4), measureMp4],
  [isMp3, measureMp3],
];

/**
 * Bounds the length of a recording by what a decoder can find in it, in one pass: headers may say anything, and bit rates
 * of silence are too low to tell. Throws `UnreadableAudio`, whose message says what is wrong with the file.
 */
export function measureAudio(bytes: Buffer): MeasuredAudio {
  const measure = FORMATS.find(([isFormat]) => isFormat(bytes))?.[1];
  if (measure === undefined) throw new UnreadableAudio('must be WAV, MP3, M4A, WebM, Ogg or FLAC');
  const measured = measure(bytes);
  if (!(measured.mostSeconds > 0)) throw new UnreadableAudio('contains no audio');
  return measured;
}
