import type { ClientProtocol } from '../client-protocol';
import { type Measured, measureInput } from '../measure-size';
import { addCostTo, WHOLE_RESULT } from '../whole-results';
import { type EmbeddingsRequest, inputsOf, validateEmbeddings } from './schema';

export type EmbeddingsClientRequest = { format: 'embeddings'; body: EmbeddingsRequest };

/** Embeddings have no output tokens, and no format to be translated to. */
export const embeddingsProtocol: ClientProtocol<EmbeddingsClientRequest> = {
  ...WHOLE_RESULT,
  modelType: 'embedding',
  validate: (json) => ({ format: 'embeddings', body: validateEmbeddings(json) }),
  prompts: ({ body }) => inputsOf(body).length,
  messages: ({ body }) => inputsOf(body),
  measure: ({ body }) => measureEmbeddings(body),
  addCost: (_, response, cost) => addCostTo('usage', response, cost),
};

const measureEmbeddings = (request: EmbeddingsRequest): Measured =>
  measureInput(inputsOf(request), { tools: [], output: [] });
