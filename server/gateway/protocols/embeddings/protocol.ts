import type { ClientProtocol } from '../client-protocol';
import { type Measured, measureInput } from '../measure-size';
import { type EmbeddingsRequest, inputsOf, validateEmbeddings } from './schema';

export type EmbeddingsClientRequest = { format: 'embeddings'; body: EmbeddingsRequest };

/** Embeddings have no output tokens, and no format to be translated to. */
export const embeddingsProtocol: ClientProtocol<EmbeddingsClientRequest> = {
  modelType: 'embedding',
  validate: (json) => ({ format: 'embeddings', body: validateEmbeddings(json) }),
  requestedOutputTokens: () => 0,
  wantsStream: () => false,
  choices: () => 1,
  prompts: ({ body }) => inputsOf(body).length,
  searches: () => 0,
  messages: ({ body }) => inputsOf(body),
  measure: ({ body }) => measureEmbeddings(body),
  addCost: (_, response, cost) => addCost(response, cost),
};

/** A response may have millions of numbers, so it is not parsed again. Its usage is an object by now. */
function addCost(response: string, cost: number): string {
  const start = response.indexOf('{', response.lastIndexOf('"usage"')) + 1;
  return `${response.slice(0, start)}"cost":${cost},${response.slice(start)}`;
}

const measureEmbeddings = (request: EmbeddingsRequest): Measured =>
  measureInput(inputsOf(request), { tools: [], output: [] });
