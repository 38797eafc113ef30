import type { Json } from '../protocols/neutral';
import { isObject, parseJson } from '../protocols/read-fields';
import { brokenResponse, findFailure } from './provider-failure';
import type { StreamFacts } from './stream-relay';

/** The end mark of the chat format, which gateways add to streams of every format, in several spellings. */
const END_MARK = /^"?\[?done\]?"?$/i;
/** What servers send so that an idle connection stays open. */
const KEEPALIVE = /^(?:ping|pong|noop|heart[-_ ]?beat|keep[-_ ]?alive)$/i;
const LONGEST_WORD = 32;

/**
 * Reads an event of a stream, in any format. Returns null for an event that says nothing, or that is a failure,
 * which `facts` then contain. Once the response has ended, no event is a failure. `says` recognises an event that
 * contains a part of a response.
 */
export function readStreamEvent(
  data: string,
  name: string,
  facts: StreamFacts,
  says: (event: Json) => boolean,
): Json | 'done' | null {
  const word = data.length > LONGEST_WORD ? '' : data.trim();
  if (END_MARK.test(word)) return 'done';
  const value = parseJson(data);
  const failure = [value]
    .flat()
    .reduce(
      (found: ReturnType<typeof findFailure>, event) =>
        found ?? (isObject(event) ? findFailure(event, { name, says: says(event) }) : null),
      null,
    );
  if (failure === null && isObject(value)) return value;
  const isWord =
    name !== 'error' && (value !== null || word === 'null' || KEEPALIVE.test(word) || KEEPALIVE.test(name));
  if (!facts.ended && (failure !== null || !isWord))
    facts.failure = failure ?? brokenResponse('the provider sent an event that is not JSON');
  return null;
}
