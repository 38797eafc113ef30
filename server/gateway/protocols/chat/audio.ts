import { isUnambiguous } from '../media';
import { type Json, NO_UNITS, type ShownMedia, type UnitModel, type Units } from '../neutral';
import { isObject, readObject, refuse, requireText } from '../read-fields';
import { countsTokens, TOKENS_PER_SECOND } from '../transcriptions/audio-units';

/** Audio in conversations: recordings that the model hears, and what it says. */

/**
 * The tokens of recordings, each of which is rounded up. What the model says is a part of its output, which has a limit in
 * tokens.
 */
export function audioUnits({ recordings }: ShownMedia, model: UnitModel): Units {
  if (recordings.length === 0 || !countsTokens(model)) return NO_UNITS;
  const tokens = recordings.reduce((sum, seconds) => sum + Math.ceil(seconds * TOKENS_PER_SECOND), 0);
  return { input: Math.min(model.contextWindow, tokens), output: 0 };
}

/** How base64 of each format begins. */
const BEGINNINGS = new Map<unknown, RegExp>([
  ['wav', /^UklGR/],
  ['mp3', /^(SUQz|\/[+/])/],
]);

/** Refuses anything but a recording. */
export function requireRecording(audio: unknown, place: string): void {
  const { data, format } = readObject(audio, place);
  const beginning = BEGINNINGS.get(format);
  if (beginning === undefined) throw refuse(`${place}.format`, 'must be wav or mp3');
  const base64 = requireText(data, `${place}.data`);
  if (!isUnambiguous(base64))
    throw refuse(`${place}.data`, 'must be standard base64, with padding only at its end');
  if (!beginning.test(base64.slice(0, 8)))
    throw refuse(`${place}.data`, `must be a recording of the format ${format}, in base64`);
}

/**
 * Refuses custom voices: they belong to the account that all users share. Several responses with audio may be too large to
 * relay, and would be billed all the same.
 */
export function requireVoice({ modalities, audio, n }: Json): void {
  if (!isObject(audio)) throw refuse('audio', 'must be an object with voice and format');
  for (const name of ['voice', 'format'] as const) requireText(audio[name], `audio.${name}`);
  if (!Array.isArray(modalities) || !modalities.includes('audio'))
    throw refuse('modalities', 'must include audio when the parameter audio is set');
  if (n != null && n !== 1) throw refuse('n', 'must be 1 when the response has audio');
}
