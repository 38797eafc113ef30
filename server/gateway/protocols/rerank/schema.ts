import { z } from 'zod';
import { expecting, flag, positiveInteger, text } from '../read-fields';

const MAX_DOCUMENTS = 1_000;
/** More than any model reads. */
const MAX_QUERY_CHARACTERS = 100_000;

/** A rerank request, in the format of Cohere's v2. */
export const rerankRequestSchema = z.looseObject({
  model: z
    .string({ error: expecting('a model id such as cohere/rerank-v4.0-fast') })
    .min(1)
    .meta({ description: 'A model with `type: "rerank"`; `GET /v1/models` lists them.' }),
  query: text
    .min(1, { error: 'must not be empty' })
    .max(MAX_QUERY_CHARACTERS, { error: `must have at most ${MAX_QUERY_CHARACTERS} characters` }),
  documents: z
    .array(z.union([text, z.looseObject({ text })]), { error: expecting('an array of strings') })
    .min(1, { error: 'must not be empty' })
    .max(MAX_DOCUMENTS, { error: `must have at most ${MAX_DOCUMENTS} documents` })
    .meta({ description: `Up to ${MAX_DOCUMENTS} texts, or objects with a \`text\`.` }),
  top_n: positiveInteger
    .nullish()
    .meta({ description: 'How many results are returned, the most relevant first. Default: all.' }),
  max_tokens_per_doc: positiveInteger
    .nullish()
    .meta({ description: 'Longer documents are cut, by the models of Cohere. Default 4096.' }),
  return_documents: flag.nullish().meta({ description: 'Adds its document to each result.' }),
});

export type RerankRequest = z.output<typeof rerankRequestSchema>;

export const textsOf = ({ documents }: RerankRequest): string[] =>
  documents.map((document) => (typeof document === 'string' ? document : document.text));

/** What Cohere uses by default, and is always sent, because it bounds the search units. */
const DEFAULT_TOKENS_PER_DOCUMENT = 4_096;

export const tokensPerDocument = ({ max_tokens_per_doc }: RerankRequest): number =>
  max_tokens_per_doc ?? DEFAULT_TOKENS_PER_DOCUMENT;
