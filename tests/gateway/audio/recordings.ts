import { readFileSync } from 'node:fs';

/** Files written by FFmpeg 8.1, with the seconds that it decodes from them. */
export const RECORDINGS = {
  'mono.wav': 1,
  'voice.mp3': 1,
  'low.mp3': 10,
  'voice.m4a': 1.024,
  'silent.m4a': 60.032,
  'fragments.m4a': 2.112,
  'voice.webm': 1,
  'voice.ogg': 1,
  'silent.ogg': 30,
  'voice.flac': 1,
  'silent.flac': 30,
};

export const readRecording = (name: string): Buffer =>
  readFileSync(new URL(`./recordings/${name}`, import.meta.url));
