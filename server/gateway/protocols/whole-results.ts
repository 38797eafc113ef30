import type { ClientProtocol } from './client-protocol';

/** What formats have in common whose models write no text: no output limit, no choices and no stream. */
export const WHOLE_RESULT: Pick<
  ClientProtocol<unknown>,
  'requestedOutputTokens' | 'wantsStream' | 'choices' | 'searches'
> = {
  requestedOutputTokens: () => 0,
  wantsStream: () => false,
  choices: () => 1,
  searches: () => 0,
};

/** What follows a name in front of an object. A text that equals the name is followed by something else. */
const OBJECT = /\s*:\s*\{/y;

/** Adds the cost to the last object of this name. A result may be large, so it is not parsed again. */
export function addCostTo(name: string, response: string, cost: number): string {
  const quoted = `"${name}"`;
  for (let at = response.lastIndexOf(quoted); at > 0; at = response.lastIndexOf(quoted, at - 1)) {
    OBJECT.lastIndex = at + quoted.length;
    if (!OBJECT.test(response)) continue;
    const start = OBJECT.lastIndex;
    const isEmpty = response[start] === '}';
    return `${response.slice(0, start)}"cost":${cost}${isEmpty ? '' : ','}${response.slice(start)}`;
  }
  return response;
}
