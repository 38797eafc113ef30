import type { EmbeddingsClientRequest } from '../protocols/embeddings/protocol';
import type { EmbeddingsRequest } from '../protocols/embeddings/schema';
import { DATA, each, fields, keepKnownFields, VALUE } from '../protocols/known-fields';
import type { Json, TokenUsage } from '../protocols/neutral';
import { asArray, asObject } from '../protocols/read-fields';
import { largerCount, readCount } from './count';
import type { Exchange, ExchangeOptions, WholeResponse } from './exchange';
import { meteredUsage, type ResponseFacts } from './metered-usage';
import { renameModel } from './model-name';
import { factsOf, parseResults, wholeExchange } from './whole-exchange';

const FIELDS = fields({
  ...each(['model', 'dimensions', 'encoding_format', 'user'], VALUE),
  input: DATA,
});

/** Embeddings in OpenAI's format, which every provider of embeddings uses, with a few fields of its own. */
export function embeddingsExchange(options: ExchangeOptions, { body }: EmbeddingsClientRequest): Exchange {
  const { requestedModel } = options;
  const warnings: string[] = [];
  const known = keepKnownFields(body, FIELDS, warnings);

  function readWhole(text: string): WholeResponse {
    const list = parseResults(text, ({ data }) => data, { what: 'embeddings', readFacts });
    const facts = readFacts(list);
    const metered = meteredUsage(facts, () => options.estimate(0, false));
    const isRepaired = repairList(list, body, metered.estimated ? metered.usage : null);
    return { body: renameModel(isRepaired ? JSON.stringify(list) : text, requestedModel), ...facts };
  }

  return wholeExchange(options, 'embeddings', {
    path: '/embeddings',
    body: writeRequest(known, options),
    warnings,
    readWhole,
  });
}

function writeRequest(
  { input, dimensions, encoding_format }: EmbeddingsRequest,
  { provider, upstreamModel, userHash }: Pick<ExchangeOptions, 'provider' | 'upstreamModel' | 'userHash'>,
): Json {
  const { embeddings } = provider;
  return {
    model: upstreamModel,
    input,
    ...(dimensions != null && { [embeddings.dimensionsField]: dimensions }),
    ...(embeddings.takesEncoding && encoding_format != null && { encoding_format }),
    ...(embeddings.takesUser && userHash != null && { user: userHash }),
  };
}

function readFacts({ usage }: Json): ResponseFacts {
  const { prompt_tokens, total_tokens } = asObject(usage);
  const input = largerCount(readCount(prompt_tokens), readCount(total_tokens));
  return factsOf(input ? { input } : null);
}

/** Completes what clients read, and writes vectors as the client asked for them. Returns whether anything changed. */
function repairList(
  list: Json,
  { encoding_format }: EmbeddingsRequest,
  estimated: TokenUsage | null,
): boolean {
  let isChanged = list.object !== 'list' || estimated !== null;
  list.object = 'list';
  if (estimated !== null) list.usage = { prompt_tokens: estimated.input, total_tokens: estimated.input };
  for (const [index, item] of asArray(list.data).map(asObject).entries()) {
    const embedding = encoding_format === 'base64' ? toBase64(item.embedding) : toNumbers(item.embedding);
    isChanged ||= embedding !== item.embedding || item.object !== 'embedding' || item.index === undefined;
    Object.assign(item, { object: 'embedding', index: item.index ?? index, embedding });
  }
  return isChanged;
}

const toBase64 = (vector: unknown): unknown =>
  Array.isArray(vector) ? Buffer.from(new Float32Array(vector).buffer).toString('base64') : vector;

function toNumbers(vector: unknown): unknown {
  if (typeof vector !== 'string') return vector;
  const bytes = Buffer.from(vector, 'base64');
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, n) => bytes.readFloatLE(4 * n));
}
