import type { ClientProtocol } from '../client-protocol';
import { measureInput } from '../measure-size';
import type { UnitModel, Units } from '../neutral';
import { refuse, validateRequest } from '../read-fields';
import { type SpeechRequest, speechRequestSchema } from './schema';

export type SpeechClientRequest = { format: 'speech'; body: SpeechRequest };

/** The audio is relayed as it is made. What it costs is known before: the characters of the text. */
export const speechProtocol: ClientProtocol<SpeechClientRequest> = {
  modelType: 'speech',
  validate: (json) => ({ format: 'speech', body: validateRequest(speechRequestSchema, json) }),
  requestedOutputTokens: () => 0,
  wantsStream: () => true,
  choices: () => 1,
  prompts: () => 1,
  searches: () => 0,
  messages: () => [],
  measure: () => measureInput([], { tools: [], output: [] }),
  units: ({ body }, model) => speechUnits(body, model),
  addCost: (_, response) => response,
};

/** No provider says how long a text can become as speech, so only the text can be counted. */
function speechUnits({ input }: SpeechRequest, { prices }: UnitModel): Units {
  if (prices.inputUnit?.kind !== 'character' || prices.outputUnit !== undefined)
    throw refuse(
      'model',
      'cannot be used: it is priced by the length of its speech, which has no known limit',
    );
  return { input: countCharacters(input), output: 0 };
}

/** As Unicode counts them: an emoji may have several. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
