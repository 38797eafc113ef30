import { randomBytes } from 'node:crypto';
import { endOfString } from '../../base/json-text';
import type { Json } from '../protocols/neutral';
import { asText, parseJson, parseObject } from '../protocols/read-fields';

/**
 * Recognises an event that is an earlier one with other texts, as nearly every event of a stream is. It is
 * relayed without being parsed, which takes a fraction of the time.
 */
export type EventPattern = {
  /** What surrounds the texts, as the provider sends it. */
  given: readonly string[];
  /** The same as the client receives it. */
  sent: readonly string[];
  /** Returns the output as the client receives it. Null for an event that must be read. */
  adapt: AdaptOutput | undefined;
};

type AdaptOutput = (output: string) => string | null;

/**
 * The texts of an event that may differ in the next one, by the name of their member. The first one is output
 * and the first in the event.
 */
export type VariableTexts = Record<string, string>;

export type Learnable = {
  event: Json;
  data: string;
  /** The lines before the data. */
  lead: string;
  /** Null for an event that has any effect apart from its output. */
  textsOf: (event: Json) => VariableTexts | null;
  /** Makes the changes that the client receives, none of them in a text. */
  rewrite: (json: string) => string;
  /** Changes the output itself. */
  adapt?: AdaptOutput | undefined;
};

/** Replaces each text while a pattern is learned. Providers do not know it. */
const MARK = randomBytes(12).toString('base64url');

/** Returns null if the next event cannot be recognised. */
export function learnPattern({ event, data, lead, textsOf, rewrite, adapt }: Learnable): EventPattern | null {
  const texts = textsOf(event);
  if (texts === null || data.includes('\n')) return null;
  const names = Object.keys(texts);
  const marked = names.reduce(markText, data);
  const found = textsOf(parseObject(marked) ?? {});
  if (found === null || names.some((name, place) => found[name] !== MARK + place)) return null;
  const given = splitAtMarks(`${lead}data: ${marked}\n\n`);
  const sent = splitAtMarks(`${lead}data: ${rewrite(marked)}\n\n`);
  const isInOrder = marked.indexOf(MARK) === marked.indexOf(`${MARK}0`);
  return isInOrder && given.length === names.length + 1 ? { given, sent, adapt } : null;
}

/** Marks the first text of this name. If it belongs to another member, the marked event shows that. */
function markText(json: string, name: string, place: number): string {
  const start = new RegExp(`"${name}"\\s*:\\s*"`).exec(json);
  if (start === null) return json;
  const from = start.index + start[0].length;
  return json.slice(0, from) + MARK + place + json.slice(endOfString(json, from - 1));
}

const splitAtMarks = (text: string): string[] => text.split(new RegExp(`${MARK}\\d`));

/** An event that was recognised: where it ends, what the client receives, and the size of its output. */
export type Repetition = { end: number; text: string; outputBytes: number };

/** Returns null for an event that must be read. One without output is among them. */
export function matchPattern(pattern: EventPattern, text: string, from: number): Repetition | null {
  const { given, sent, adapt } = pattern;
  const last = given.length - 1;
  let end = from;
  let output = '';
  let rest = '';
  let outputBytes = 0;
  for (let place = 0; ; place++) {
    const around = given[place] as string;
    const start = end;
    end += around.length;
    // Half the time of `startsWith`.
    if (text.slice(start, end) !== around) return null;
    if (place > 0) rest += sent[place];
    if (place === last) break;
    const string = text.slice(end, endOfString(text, end - 1));
    end += string.length;
    const bytes = countBytes(string);
    if (bytes === null || (place === 0 && bytes === 0)) return null;
    if (place > 0) rest += string;
    else {
      outputBytes = bytes;
      output = string;
    }
  }
  const adapted = adapt === undefined ? output : adaptString(output, adapt);
  return adapted === null ? null : { end, text: sent[0] + adapted + rest, outputBytes };
}

/** Changes a text as it is written in JSON. */
function adaptString(string: string, adapt: AdaptOutput): string | null {
  const text = PLAIN.test(string) ? string : asText(parseJson(`"${string}"`));
  const adapted = adapt(text);
  if (adapted === null) return null;
  return adapted === text ? string : JSON.stringify(adapted).slice(1, -1);
}

const PLAIN = /^[ !#-[\]-~]*$/;

/** The bytes of a text, given as it is written in JSON. Null if it is not JSON. */
function countBytes(string: string): number | null {
  if (PLAIN.test(string)) return string.length;
  const text = parseJson(`"${string}"`);
  if (typeof text !== 'string') return null;
  // No arguments, as some providers send them, are not output.
  return text === '""' ? 0 : Buffer.byteLength(text);
}
