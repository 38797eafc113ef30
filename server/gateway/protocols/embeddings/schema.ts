import { z } from 'zod';
import type { Json } from '../neutral';
import { expecting, positiveInteger, refuse, validateRequest } from '../read-fields';

const MAX_INPUTS = 2048;

const tokenList = z.array(z.int().nonnegative()).min(1);
const inputText = z.string().min(1);

/** An embeddings request, in OpenAI's format. */
export const embeddingsRequestSchema = z.looseObject({
  model: z
    .string({ error: expecting('a model id such as openai/text-embedding-3-small') })
    .min(1)
    .meta({ description: 'A model with `type: "embedding"`; `GET /v1/models` lists them.' }),
  input: z
    .union([
      inputText,
      z.array(inputText).min(1).max(MAX_INPUTS),
      tokenList,
      z.array(tokenList).min(1).max(MAX_INPUTS),
    ])
    .meta({
      description: `Text, or up to ${MAX_INPUTS} texts. Models of OpenAI also take arrays of token ids.`,
    }),
  dimensions: positiveInteger
    .nullish()
    .meta({ description: 'The length of the vectors, for models that can shorten them.' }),
  encoding_format: z
    .enum(['float', 'base64'], { error: 'must be `float` or `base64`' })
    .nullish()
    .meta({ description: '`base64` is the vector as little-endian 32-bit numbers. Default `float`.' }),
});

/** One text for every fault of the input: the members of the union each describe it in their own way. */
export function validateEmbeddings(json: Json): EmbeddingsRequest {
  if (embeddingsRequestSchema.shape.input.safeParse(json.input).success)
    return validateRequest(embeddingsRequestSchema, json);
  throw refuse(
    'input',
    `must be a non-empty string, or an array of at most ${MAX_INPUTS}; arrays of token ids are accepted too`,
  );
}

export type EmbeddingsRequest = z.output<typeof embeddingsRequestSchema>;

/** The texts or token lists of a request, each of which becomes a vector. */
export function inputsOf({ input }: EmbeddingsRequest): (string | number[])[] {
  if (typeof input === 'string') return [input];
  return typeof input[0] === 'number' ? [input as number[]] : (input as (string | number[])[]);
}
