import { DATA, each, fields, keepKnownFields, VALUE } from '../protocols/known-fields';
import type { Json, UnitKind } from '../protocols/neutral';
import { asArray, asObject } from '../protocols/read-fields';
import type { RerankClientRequest } from '../protocols/rerank/protocol';
import { type RerankRequest, textsOf, tokensPerDocument } from '../protocols/rerank/schema';
import { largerCount, readCount } from './count';
import type { Exchange, ExchangeOptions, WholeResponse } from './exchange';
import { meteredUsage, type ResponseFacts } from './metered-usage';
import type { ProviderProfile } from './profiles';
import { factsOf, parseResults, wholeExchange } from './whole-exchange';

const FIELDS = fields({
  ...each(['model', 'query', 'top_n', 'max_tokens_per_doc', 'return_documents'], VALUE),
  documents: DATA,
});

/** Every provider has a dialect of Cohere's format. The response is always Cohere's. */
export function rerankExchange(options: ExchangeOptions, { body }: RerankClientRequest): Exchange {
  const { inputUnit } = options;
  const warnings: string[] = [];
  const known = keepKnownFields(body, FIELDS, warnings);

  function readWhole(text: string): WholeResponse {
    const read = (json: Json) => readFacts(json, inputUnit);
    const ranking = (json: Json) => readRanking(json, known.documents.length);
    const json = parseResults(text, ranking, { what: 'ranking', readFacts: read });
    return { body: JSON.stringify(writeResults(json, known, options)), ...read(json) };
  }

  return wholeExchange(options, 'reranking', {
    path: '/rerank',
    body: writeRequest(known, options, warnings),
    warnings,
    readWhole,
  });
}

function writeRequest(
  request: RerankRequest,
  { provider: { rerank }, upstreamModel }: ExchangeOptions,
  warnings: string[],
): Json {
  const { query, top_n, max_tokens_per_doc } = request;
  const documents = textsOf(request);
  if (!rerank.takesTokenLimit && max_tokens_per_doc != null) warnings.push('max_tokens_per_doc was dropped');
  return {
    model: upstreamModel,
    query,
    documents,
    ...(top_n != null && { [rerank.limitField]: Math.min(top_n, documents.length) }),
    // Where a provider can return documents, it does so by default; they are added here.
    ...(rerank.takesTokenLimit
      ? { max_tokens_per_doc: tokensPerDocument(request) }
      : { return_documents: false }),
  };
}

export const rerankParameters = ({ rerank }: ProviderProfile): string[] => [
  'top_n',
  'return_documents',
  ...(rerank.takesTokenLimit ? ['max_tokens_per_doc'] : []),
];

/** Each document once: a result may contain its text, which could not be written a million times. */
function readRanking({ results, data }: Json, documents: number): Json[] {
  const ranked = new Map<unknown, Json>();
  for (const result of asArray(results ?? data).map(asObject)) {
    const index = readCount(result.index);
    if (index !== null && index < documents && !ranked.has(index)) ranked.set(index, { ...result, index });
  }
  return [...ranked.values()];
}

/** Only what the model is priced by: without it, the usage is estimated. */
function readFacts({ meta, usage }: Json, inputUnit: UnitKind | undefined): ResponseFacts {
  const { billed_units, tokens } = asObject(meta);
  const { search_units, ...billed } = asObject(billed_units);
  if (inputUnit === 'query') {
    const inputUnits = readCount(search_units);
    return factsOf(inputUnits ? { inputUnits } : null);
  }
  const counts = [asObject(usage), billed, asObject(tokens)].flatMap((found) => [
    found.total_tokens,
    found.prompt_tokens,
    found.input_tokens,
  ]);
  const input = counts.map(readCount).reduce(largerCount, null);
  return factsOf(input ? { input } : null);
}

function writeResults(
  json: Json,
  request: RerankRequest,
  { requestedModel, inputUnit, newId, estimate }: ExchangeOptions,
): Json {
  const { usage } = meteredUsage(readFacts(json, inputUnit), () => estimate(0, false));
  const billed =
    inputUnit === 'query' ? { search_units: usage.inputUnits ?? 0 } : { total_tokens: usage.input };
  const texts = textsOf(request);
  return {
    id: typeof json.id === 'string' ? json.id : newId(),
    results: readRanking(json, texts.length).map(({ index, relevance_score }) => ({
      index,
      relevance_score,
      ...(request.return_documents === true && { document: { text: texts[Number(index)] ?? '' } }),
    })),
    meta: { api_version: { version: '2' }, billed_units: billed },
    model: requestedModel,
    usage: { ...billed },
  };
}
