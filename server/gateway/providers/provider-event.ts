import type { Json } from '../protocols/neutral';
import { asArray, isObject, parseJson } from '../protocols/read-fields';
import { brokenResponse, findFailure, type ProviderFailure } from './provider-failure';
import type { StreamFacts } from './stream-relay';

/** The end mark of the chat format, which gateways add to streams of every format, in several spellings. */
const END_MARK = /^"?\[?done\]?"?$/i;
/** What servers send so that an idle connection stays open. */
const KEEPALIVE = /^(?:ping|pong|noop|heart[-_ ]?beat|keep[-_ ]?alive)$/i;
const LONGEST_WORD = 32;

/**
 * Reads an event of a stream, in any format. Returns null for an event that says nothing, or that is a failure,
 * which `facts` then contain. Once the response has ended, no event is a failure. `says` recognises an event that
 * contains a part of a response, and `meter` reads the usage of a failure.
 */
export function readStreamEvent(
  data: string,
  name: string,
  facts: StreamFacts,
  { says, meter }: { says: (event: Json) => boolean; meter: (event: Json) => void },
): Json | 'done' | null {
  const word = data.length > LONGEST_WORD ? '' : data.trim();
  if (word !== '' && END_MARK.test(word)) return 'done';
  const value = parseJson(data);
  const failure = isObject(value) ? findFailure(value, { name, says: says(value) }) : findListed(value, name);
  if (failure === null && isObject(value)) return value;
  if (isObject(value)) meter(value);
  const isWord =
    name !== 'error' && (value !== null || word === 'null' || KEEPALIVE.test(word) || KEEPALIVE.test(name));
  if (!facts.ended && (failure !== null || !isWord))
    facts.failure = failure ?? brokenResponse('the provider sent an event that is not JSON');
  return null;
}

/** Google wraps errors in a list. */
function findListed(value: unknown, name: string): ProviderFailure | null {
  const [first] = asArray(value);
  return isObject(first) ? findFailure(first, { name, says: false }) : null;
}
