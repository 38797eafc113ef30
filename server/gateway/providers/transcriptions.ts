import { UploadedFile } from '../../base/http/read-multipart';
import type { AudioFormat } from '../protocols/audio-length/measured-audio';
import { CHAT_KEEPALIVE, writeChatError } from '../protocols/chat/stream';
import { DATA, each, fields, keepKnownFields, VALUE } from '../protocols/known-fields';
import { type Json, NO_TOKENS, type TokenUsage } from '../protocols/neutral';
import { asObject, asText, parseObject, refuse } from '../protocols/read-fields';
import { billedSeconds } from '../protocols/transcriptions/audio-units';
import {
  isText,
  type TranscriptionsClientRequest,
  type TranslationsClientRequest,
} from '../protocols/transcriptions/protocol';
import { readCount } from './count';
import type { Exchange, ExchangeOptions, WholeResponse } from './exchange';
import { meteredUsage, type ResponseFacts } from './metered-usage';
import type { ProviderProfile } from './profiles';
import { brokenResponse, FailedResponse, findFailure, readEmbeddedFailure } from './provider-failure';
import { newFacts, relayStream, type StreamFacts, type StreamRelay } from './stream-relay';
import { formHeaders } from './write-form';

type AudioRequest = TranscriptionsClientRequest | TranslationsClientRequest;

/** What reaches a provider; the rest is dropped with a warning. */
const PASSED: Readonly<Record<ProviderProfile['transcription'], readonly string[]>> = {
  openai: [
    'language',
    'prompt',
    'response_format',
    'temperature',
    'stream',
    'timestamp_granularities',
    'include',
  ],
  groq: ['language', 'prompt', 'response_format', 'temperature', 'timestamp_granularities'],
  mistral: ['language', 'temperature', 'timestamp_granularities'],
};
const FIELDS = fields({ ...each(['model', ...PASSED.openai], VALUE), file: DATA });
const OF_TRANSLATIONS = new Set(['prompt', 'response_format', 'temperature']);

/** The formats that a provider writes. Where it writes JSON, `text` is the text of that, so that its usage is known. */
const WRITTEN: Readonly<Record<ProviderProfile['transcription'], ReadonlySet<string>>> = {
  openai: new Set(['json', 'verbose_json', 'srt', 'vtt']),
  groq: new Set(['json', 'verbose_json']),
  mistral: new Set(['json']),
};

export const transcriptionParameters = ({ transcription }: Pick<ProviderProfile, 'transcription'>) =>
  PASSED[transcription];

const MEDIA_TYPES: Readonly<Record<AudioFormat, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  webm: 'audio/webm',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
};

/** Whether the audio of the input is priced by tokens, and not by the second. */
const countsTokens = ({ inputUnit }: Pick<ExchangeOptions, 'inputUnit'>): boolean =>
  inputUnit === 'audio_token';

/** Transcripts in OpenAI's format, which every provider of them uses, with a few fields of its own. */
export function transcriptionsExchange(options: ExchangeOptions, client: AudioRequest): Exchange {
  const { provider } = options;
  const countsAudioTokens = countsTokens(options);
  const isTranslation = client.format === 'translations';
  if (provider.format !== 'openai') throw refuse('model', 'this provider has no transcripts');
  if (isTranslation && !provider.translates.test(options.upstreamModel))
    throw refuse('model', 'does not translate: use POST /v1/audio/transcriptions');
  const { body } = client;
  if (body.stream === true && !isTranslation && !(countsAudioTokens && provider.transcription === 'openai'))
    throw refuse('stream', 'is not possible with this model');
  // Each part of a recording that is cut into parts may have as much text as the whole.
  if (countsAudioTokens && body.chunking_strategy != null)
    throw refuse('chunking_strategy', 'cannot be used with this model: its cost would have no bound');
  const format = body.response_format ?? 'json';
  if (format !== 'text' && !WRITTEN[provider.transcription].has(format))
    throw refuse('response_format', `cannot be ${format} at this provider`);
  // Only JSON says how many tokens the text has.
  if (countsAudioTokens && format !== 'text' && format !== 'json')
    throw refuse('response_format', 'must be `json` or `text` with this model');
  const warnings: string[] = [];
  const boundary = `svc-${options.newId()}`;
  return {
    path: isTranslation ? '/audio/translations' : '/audio/transcriptions',
    headers: formHeaders(boundary),
    boundary,
    body: writeRequest(client, options, warnings),
    warnings,
    isShortened: false,
    mayHideOutput: () => false,
    readWhole: (text) => readWhole(text, client, options),
    openStream: () => streamTranscript(options),
  };
}

/** The name of a file tells providers its format; that of the client could tell them more. */
function writeRequest(
  { format: endpoint, body, audio }: AudioRequest,
  { provider, upstreamModel }: Pick<ExchangeOptions, 'provider' | 'upstreamModel'>,
  warnings: string[],
): Json {
  const { model: _, file, ...given } = keepKnownFields(body, FIELDS, warnings);
  const passed = PASSED[provider.transcription].filter(
    (name) => endpoint === 'transcriptions' || OF_TRANSLATIONS.has(name),
  );
  const { format } = audio;
  const written: Json = { model: upstreamModel };
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined) continue;
    if (passed.includes(name)) written[name] = value;
    else if (name !== 'response_format') warnings.push(`${name} was dropped`);
  }
  if (written.response_format === 'text') written.response_format = 'json';
  written.file = new UploadedFile({
    field: 'file',
    filename: `audio.${format}`,
    contentType: MEDIA_TYPES[format],
    bytes: file.bytes,
  });
  return written;
}

const TEXT = 'text/plain; charset=utf-8';

function readWhole(text: string, { body }: AudioRequest, options: ExchangeOptions): WholeResponse {
  const json = parseObject(text);
  const facts = readFacts(json ?? {}, options);
  if (json?.error) throw new FailedResponse(readEmbeddedFailure(json), facts, { isError: true });
  const isSubtitles = body.response_format === 'srt' || body.response_format === 'vtt';
  if (isSubtitles && json === null) return { body: text, contentType: TEXT, ...facts };
  if (typeof json?.text !== 'string')
    throw new FailedResponse(brokenResponse('the provider sent no transcript'), facts, { isError: false });
  if (isText(body)) return { body: `${json.text}\n`, contentType: TEXT, ...facts };
  const { usage: _, x_groq: __, model, ...rest } = json;
  const metered = meteredUsage(facts, (isHidden) => options.estimate(facts.outputBytes, isHidden));
  const labels = model === undefined ? {} : { model: options.requestedModel };
  return {
    body: JSON.stringify({ ...rest, ...labels, usage: writeUsage(metered.usage, options) }),
    ...facts,
  };
}

/** In the shape of OpenAI, which SDKs read. */
function writeUsage(
  { input, inputUnits = 0, output }: TokenUsage,
  options: Pick<ExchangeOptions, 'inputUnit'>,
): Json {
  if (!countsTokens(options)) return { type: 'duration', seconds: inputUnits };
  return {
    type: 'tokens',
    input_tokens: input + inputUnits,
    input_token_details: { text_tokens: input, audio_tokens: inputUnits },
    output_tokens: output,
    total_tokens: input + inputUnits + output,
  };
}

type Reading = Pick<ExchangeOptions, 'provider' | 'inputUnit'>;

function readFacts(response: Json, { provider, inputUnit }: Reading): ResponseFacts {
  const countsAudioTokens = countsTokens({ inputUnit });
  const reported = countsAudioTokens ? readTokens(response) : readSeconds(response, provider.name);
  const isKnown = reported !== null;
  return {
    usage: reported,
    inputReported: isKnown,
    outputReported: isKnown,
    providerCost: null,
    outputBytes: countsAudioTokens ? Buffer.byteLength(asText(response.text)) : 0,
  };
}

function readTokens({ usage }: Json): TokenUsage | null {
  const { input_tokens, output_tokens, input_token_details } = asObject(usage);
  const input = readCount(input_tokens);
  const output = readCount(output_tokens);
  if (!input || output === null) return null;
  const text = Math.min(input, readCount(asObject(input_token_details).text_tokens) ?? 0);
  return { ...NO_TOKENS, input: text, inputUnits: input - text, output };
}

const MOST_SECONDS = 100_000_000;

/** Of OpenAI and Groq, of Mistral, and of a detailed transcript. */
function readSeconds({ usage, duration }: Json, provider: string): TokenUsage | null {
  const { seconds, prompt_audio_seconds: ofMistral } = asObject(usage);
  const found = [seconds, ofMistral, duration, Number(duration)].find(
    (value): value is number => typeof value === 'number' && value > 0 && value < MOST_SECONDS,
  );
  return found === undefined ? null : { ...NO_TOKENS, inputUnits: billedSeconds(provider, found) };
}

/** Ends with the whole text and the usage, which wait until the cost is known. */
function streamTranscript(options: ExchangeOptions): StreamRelay {
  const facts = newFacts();
  let last: Json | null = null;

  function event(data: string, name: string): string {
    const json = parseObject(data);
    if (json === null) return '';
    const failure = findFailure(json, { name, says: last !== null });
    if (failure !== null) {
      facts.failure ??= failure;
      return '';
    }
    facts.started = true;
    if (json.type === 'transcript.text.done') {
      noteDone(facts, json, options);
      last = json;
      return '';
    }
    facts.outputBytes += Buffer.byteLength(asText(json.delta));
    facts.outputDeltas++;
    return frame(json);
  }

  return relayStream(
    {
      event,
      close: () => {
        if (last === null) facts.failure ??= brokenResponse('the stream ended without a transcript');
        return '';
      },
      finish: (cost) => {
        const estimate = (isHidden: boolean) => options.estimate(facts.outputBytes, isHidden);
        const usage = writeUsage(meteredUsage(facts, estimate).usage, options);
        return last === null ? '' : frame({ ...last, usage: { ...usage, ...(cost !== null && { cost }) } });
      },
    },
    facts,
    { fail: writeChatError, keepalive: CHAT_KEEPALIVE },
  );
}

function noteDone(facts: StreamFacts, json: Json, options: Reading): void {
  const { outputBytes } = facts;
  Object.assign(facts, readFacts(json, options), { finished: true, ended: true });
  facts.outputBytes = Math.max(outputBytes, facts.outputBytes);
}

const frame = (json: Json): string => `data: ${JSON.stringify(json)}\n\n`;
