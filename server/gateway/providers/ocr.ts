import { each, fields, keepKnownFields, VALUE } from '../protocols/known-fields';
import type { Json } from '../protocols/neutral';
import type { OcrClientRequest } from '../protocols/ocr/protocol';
import { type OcrRequest, requestedPages } from '../protocols/ocr/schema';
import { asObject, isObject } from '../protocols/read-fields';
import { readCount } from './count';
import type { Exchange, ExchangeOptions, WholeResponse } from './exchange';
import { meteredUsage, type ResponseFacts } from './metered-usage';
import { renameModel } from './model-name';
import { factsOf, parseResults, wholeExchange } from './whole-exchange';

const OPTIONS = [
  'include_image_base64',
  'image_min_size',
  'include_blocks',
  'confidence_scores_granularity',
  'table_format',
  'extract_header',
  'extract_footer',
];
export const OCR_PARAMETERS: readonly string[] = ['pages', 'image_limit', ...OPTIONS];

const FIELDS = fields({
  ...each(['model', ...OCR_PARAMETERS], VALUE),
  document: fields({
    ...each(['type', 'document_url', 'document_name'], VALUE),
    image_url: fields({ url: VALUE }),
  }),
});

/** Images that a response may contain: a larger one than what is read would be billed and lost. */
const MAX_IMAGES = 64;

/** OCR in Mistral's format. */
export function ocrExchange(options: ExchangeOptions, { body }: OcrClientRequest): Exchange {
  const { requestedModel } = options;
  const warnings: string[] = [];
  const known = keepKnownFields(body, FIELDS, warnings);

  function readWhole(text: string): WholeResponse {
    const json = parseResults(text, ({ pages }) => pages, { what: 'pages', readFacts });
    const facts = readFacts(json);
    const { usage, estimated } = meteredUsage(facts, () => options.estimate(0, false));
    if (estimated) {
      const given = isObject(json.usage_info) ? json.usage_info : {};
      json.usage_info = { ...given, pages_processed: usage.inputUnits ?? 0 };
    }
    return { body: renameModel(estimated ? JSON.stringify(json) : text, requestedModel), ...facts };
  }

  return wholeExchange(options, 'OCR', {
    path: '/ocr',
    body: writeRequest(known, options, warnings),
    warnings,
    readWhole,
  });
}

function writeRequest(request: OcrRequest, { upstreamModel }: ExchangeOptions, warnings: string[]): Json {
  const { document, include_image_base64, image_limit } = request;
  const pages = requestedPages(request);
  const most = include_image_base64 === true ? MAX_IMAGES : Number.POSITIVE_INFINITY;
  const limit = Math.min(most, image_limit ?? Number.POSITIVE_INFINITY);
  if (image_limit != null && limit < image_limit) warnings.push(`image_limit was reduced to ${limit}`);
  return {
    model: upstreamModel,
    document,
    ...(pages !== null && { pages }),
    ...(Number.isFinite(limit) && { image_limit: limit }),
    ...Object.fromEntries(
      OPTIONS.filter((name) => request[name] != null).map((name) => [name, request[name]]),
    ),
  };
}

function readFacts({ usage_info }: Json): ResponseFacts {
  const inputUnits = readCount(asObject(usage_info).pages_processed);
  return factsOf(inputUnits ? { inputUnits } : null);
}
