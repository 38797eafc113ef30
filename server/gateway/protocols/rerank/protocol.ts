import type { ClientProtocol } from '../client-protocol';
import { type Measured, measureInput, NO_DOCUMENTS } from '../measure-size';
import { NO_UNITS } from '../neutral';
import { validateRequest } from '../read-fields';
import { addCostTo, WHOLE_RESULT } from '../whole-results';
import { type RerankRequest, rerankRequestSchema, textsOf } from './schema';
import { largestSearchUnits } from './search-units';

export type RerankClientRequest = { format: 'rerank'; body: RerankRequest };

export const rerankProtocol: ClientProtocol<RerankClientRequest> = {
  ...WHOLE_RESULT,
  modelType: 'rerank',
  validate: (json) => ({ format: 'rerank', body: validateRequest(rerankRequestSchema, json) }),
  prompts: ({ body }) => body.documents.length,
  messages: ({ body }) => [body.query, ...textsOf(body)],
  measure: ({ body }) => measureRerank(body),
  units: ({ body }, { prices }) =>
    prices.inputUnit?.kind === 'query' ? { input: largestSearchUnits(body), output: 0 } : NO_UNITS,
  addCost: (_, response, cost) => addCostTo('usage', response, cost),
};

/** What a model may add to each pair of query and document: 70 tokens are published for one of them. */
const TEMPLATE_TOKENS = 100;

/** Providers bill the query with each document. Their tokenizers are not public, so the largest bound applies. */
function measureRerank(body: RerankRequest): Measured {
  const noOptions = { tools: [], output: [] };
  const ofQuery = measureInput([body.query], noOptions);
  const ofDocuments = measureInput(textsOf(body), noOptions);
  const pairs = body.documents.length;
  return {
    ...ofDocuments,
    sizeOf: (_, later) => {
      const query = ofQuery.sizeOf('anthropic', NO_DOCUMENTS);
      const documents = ofDocuments.sizeOf('anthropic', later);
      return {
        largestInputTokens:
          pairs * (query.largestInputTokens + TEMPLATE_TOKENS) + documents.largestInputTokens,
        likelyInputTokens: pairs * query.likelyInputTokens + documents.likelyInputTokens,
        media: documents.media,
      };
    },
  };
}
