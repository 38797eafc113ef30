import { ApiError } from '../../base/errors';
import { CHAT_KEEPALIVE, writeChatError } from '../protocols/chat/stream';
import { DEFAULT_SIZE, needsSize } from '../protocols/images/image-tokens';
import type { ImageEditsClientRequest, ImagesClientRequest } from '../protocols/images/protocol';
import type { ImageEditsRequest, ImagesRequest } from '../protocols/images/schema';
import { DATA, each, fields, keepKnownFields, VALUE } from '../protocols/known-fields';
import { type Json, NO_TOKENS } from '../protocols/neutral';
import { asArray, asObject, asText, isObject, parseObject } from '../protocols/read-fields';
import { readCount } from './count';
import type { Exchange, ExchangeOptions, WholeResponse } from './exchange';
import { GOOGLE_IMAGE_FIELDS, googleImagesExchange } from './google-images';
import type { ResponseFacts } from './metered-usage';
import { blankCosts, readCost } from './openai/usage';
import type { ProviderProfile } from './profiles';
import { brokenResponse, FailedResponse, findFailure, readEmbeddedFailure } from './provider-failure';
import { type EventHandler, newFacts, relayStream, type StreamFacts, type StreamRelay } from './stream-relay';
import { formHeaders } from './write-form';

/** What providers with sizes read of a request, besides its prompt and its images. */
const OF_SIZES = [
  'n',
  'size',
  'quality',
  'background',
  'moderation',
  'output_format',
  'output_compression',
  'stream',
  'partial_images',
  'input_fidelity',
];

const VALUES = each(['model', 'prompt', 'response_format', 'aspect_ratio', 'user', ...OF_SIZES], VALUE);
const REFERENCE = fields({ image_url: VALUE });
const JSON_FIELDS = fields({ ...VALUES, images: REFERENCE, mask: REFERENCE });
/** Its files are data. */
const FORM_FIELDS = fields({ ...VALUES, image: DATA, mask: DATA });

/** What reaches a provider of each kind; the rest is dropped with a warning. */
const PASSED: Readonly<Record<ProviderProfile['images'], readonly string[]>> = {
  sizes: [...OF_SIZES, 'images', 'image', 'mask'],
  'aspect-ratios': ['n', 'aspect_ratio'],
  google: GOOGLE_IMAGE_FIELDS,
};

export const imageParameters = ({ images }: Pick<ProviderProfile, 'images'>): string[] =>
  PASSED[images].filter((name) => name !== 'image');

/** Images in OpenAI's format, which providers of images use, with a few fields of their own. */
export function imagesExchange(
  options: ExchangeOptions,
  { body, format }: ImagesClientRequest | ImageEditsClientRequest,
): Exchange {
  const { provider } = options;
  const isEdit = format === 'image-edits';
  if (provider.format !== 'openai') throw refuseModel('has no images');
  if (isEdit && provider.images === 'aspect-ratios')
    throw refuseModel('makes images, but does not edit them here');
  if (body.stream === true && provider.images !== 'sizes') throw refuseModel('does not stream images');
  const warnings: string[] = [];
  const boundary = 'image' in body ? options.newId() : undefined;
  const known = keepKnownFields(body, boundary === undefined ? JSON_FIELDS : FORM_FIELDS, warnings);
  if (body.response_format === 'url')
    warnings.push('response_format was dropped: images are returned as b64_json');
  if (provider.images === 'google') return googleImagesExchange(options, known, isEdit, warnings);
  return {
    path: isEdit ? '/images/edits' : '/images/generations',
    headers: boundary === undefined ? {} : formHeaders(boundary),
    ...(boundary !== undefined && { boundary }),
    body: writeRequest(known, options, warnings),
    warnings,
    isShortened: false,
    // The image takes longest, and is billed even if only its beginning was seen.
    mayHideOutput: () => true,
    readWhole: (text) => readWhole(text, options),
    openStream: () => streamImages(options),
  };
}

const refuseModel = (reason: string): ApiError =>
  new ApiError('invalid_request', `model: ${reason}`, { param: 'model' });

function writeRequest(
  request: ImagesRequest | ImageEditsRequest,
  { provider, upstreamModel, userHash }: Pick<ExchangeOptions, 'provider' | 'upstreamModel' | 'userHash'>,
  warnings: string[],
): Json {
  const { model: _, prompt, response_format: __, user: ___, ...given } = request;
  const passed = PASSED[provider.images];
  const written: Json = { model: upstreamModel, prompt };
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined) continue;
    if (passed.includes(name)) written[name] = value;
    else warnings.push(`${name} was dropped`);
  }
  if (needsSize(upstreamModel) && (written.size ?? 'auto') === 'auto') {
    if (written.size !== undefined) warnings.push(`size was set to ${DEFAULT_SIZE}`);
    written.size = DEFAULT_SIZE;
  }
  if (provider.images === 'aspect-ratios') written.response_format = 'b64_json';
  if (provider.userField !== null && userHash != null) written.user = userHash;
  return written;
}

type Labels = Pick<ExchangeOptions, 'provider' | 'created' | 'upstreamModel'>;

/** The text of the response passes, because its images take megabytes. Only its usage is written again. */
function readWhole(text: string, labels: Labels): WholeResponse {
  const list = parseObject(text);
  const count = asArray(list?.data).filter((image) => isObject(image) && hasImage(image)).length;
  const facts = readFacts(list ?? {}, count, labels);
  if (list?.error) throw new FailedResponse(readEmbeddedFailure(list), facts, { isError: true });
  if (list === null || count === 0)
    throw new FailedResponse(brokenResponse('the provider sent no images'), facts, { isError: false });
  return { body: completeList(list, text, labels), ...facts };
}

const hasImage = ({ b64_json: image }: Json): boolean => typeof image === 'string' && image !== '';

/** What clients of OpenAI's format read. */
function completeList(list: Json, text: string, { provider, created }: Labels): string {
  const images = asArray(list.data).map(asObject);
  const isWhole = typeof list.created === 'number' && isObject(list.usage);
  if (isWhole && provider.reportsCost === null && images.every(isPlain)) return text;
  if (isObject(list.usage)) blankCosts(list);
  const usage = isObject(list.usage) ? list.usage : {};
  return JSON.stringify({ ...list, created: list.created ?? created, data: images.map(keepImage), usage });
}

const isPlain = (image: Json): boolean => Object.keys(image).every((name) => IMAGE_FIELDS.has(name));

/** The URL of a provider could show its account. */
const keepImage = (image: Json): Json =>
  Object.fromEntries(Object.entries(image).filter(([name]) => IMAGE_FIELDS.has(name)));

const IMAGE_FIELDS = new Set(['b64_json', 'revised_prompt']);

/** Images that are priced one by one are counted. Image tokens that nobody reports are estimated. */
function readFacts(
  response: Json,
  images: number,
  { provider, upstreamModel }: Omit<Labels, 'created'>,
): ResponseFacts {
  const usage = asObject(response.usage);
  const facts = { providerCost: readCost(usage, provider), outputBytes: 0, outputReported: true };
  const output = readCount(usage.output_tokens);
  const details = asObject(usage.input_tokens_details);
  const input = readCount(usage.input_tokens);
  if (output === null || output === 0) {
    const isCounted = images > 0 && !needsSize(upstreamModel);
    const counted = isCounted ? { ...NO_TOKENS, outputUnits: images } : null;
    return { ...facts, usage: counted, inputReported: true };
  }
  const image = readCount(details.image_tokens) ?? 0;
  const text = readCount(details.text_tokens) ?? Math.max(0, (input ?? 0) - image);
  return {
    ...facts,
    inputReported: input !== null,
    usage: {
      ...NO_TOKENS,
      input: text,
      ...(image > 0 && { inputUnits: image }),
      outputUnits: output,
    },
  };
}

const IMAGE_EVENT = /^image_(?:generation|edit)\.(?:partial_image|completed)$/;

/** Ends with an event of the whole image and the usage, which waits until the cost is known. */
function streamImages(labels: Labels): StreamRelay {
  const facts = newFacts();
  let last: { name: string; json: Json } | null = null;

  function event(data: string, name: string): string {
    const json = parseObject(data);
    if (json === null) return '';
    const says = hasImage(json) || last !== null;
    const failure = findFailure(json, { name, says });
    if (failure !== null) {
      facts.failure ??= failure;
      return '';
    }
    const type = asText(json.type) || name;
    if (!hasImage(json) || !IMAGE_EVENT.test(type)) return '';
    facts.started = true;
    facts.outputDeltas++;
    if (!type.endsWith('.completed')) return frame(type, data.replaceAll('\n', ''));
    noteCompleted(facts, json, labels);
    last = { name: type, json };
    return '';
  }

  const handler: EventHandler = {
    event,
    close: () => {
      if (!facts.finished) facts.failure ??= brokenResponse('the stream ended without an image');
      return '';
    },
    finish: (cost) => {
      if (last === null) return '';
      const usage = { ...asObject(last.json.usage), ...(cost !== null && { cost }) };
      return frame(last.name, JSON.stringify({ ...last.json, usage }));
    },
  };
  return relayStream(handler, facts, { fail: writeChatError, keepalive: CHAT_KEEPALIVE });
}

function noteCompleted(facts: StreamFacts, json: Json, labels: Labels): void {
  Object.assign(facts, readFacts(json, 1, labels), { finished: true, ended: true });
  blankCosts(json);
}

const frame = (name: string, data: string): string => `event: ${name}\ndata: ${data}\n\n`;
