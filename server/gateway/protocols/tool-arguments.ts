import { JsonScan } from '../../base/scan-json';
import { parseExactly } from './exact-numbers';
import type { Json } from './neutral';
import { isObject, parseJson } from './read-fields';
import { refuseLongArguments } from './read-options';

/** Of the object that replaces arguments which are no JSON: the text as the model wrote it. */
export const UNPARSED = '_unparsed';

/**
 * The arguments of a call as an object. A model that was cut off, or that made a mistake, wrote no JSON: then the text
 * is kept, so that the conversation can go on, and the model sees what it wrote.
 */
export function readArguments(json: string, warn: () => void = () => {}): Json {
  const text = json.trim();
  if (text === '' || text === 'null') return {};
  const input = parseExactly(text);
  if (isObject(input)) return input;
  if (input !== null) return { value: input };
  warn();
  return { [UNPARSED]: json };
}

/** The same for a provider that takes arguments as text: what is JSON stays as it is. */
export function repairArguments(json: unknown, warn: () => void): unknown {
  if (typeof json !== 'string' || json.trim() === '' || parseJson(json) !== null || json.trim() === 'null')
    return json;
  warn();
  return JSON.stringify({ [UNPARSED]: json });
}

/** For warnings of a request. */
export const noteUnparsed = (warnings: string[]) => (): void => {
  const warning = `the arguments of a tool call were no JSON, and were sent as ${UNPARSED}`;
  if (!warnings.includes(warning)) warnings.push(warning);
};

/**
 * Refuses arguments that take long to parse. They are JSON inside JSON: to the scan of the body, each is one string. A
 * response may contain arguments of any depth, and those that are too deep stay text.
 */
export function scanArguments(all: Iterable<unknown>, param: string): void {
  const scan = new JsonScan({ depth: Number.POSITIVE_INFINITY });
  let length = 0;
  for (const json of all) {
    if (typeof json !== 'string') continue;
    length += json.length;
    refuseLongArguments(length, param);
    scan.add(Buffer.from(json));
  }
}
