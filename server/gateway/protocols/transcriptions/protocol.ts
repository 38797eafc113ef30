import { measureAudio } from '../audio-length/audio-length';
import { type MeasuredAudio, UnreadableAudio } from '../audio-length/measured-audio';
import type { ClientProtocol } from '../client-protocol';
import type { FormShape } from '../form-fields';
import { measureInput } from '../measure-size';
import { refuse, validateRequest } from '../read-fields';
import { likelyUnits, mostUnits } from './audio-units';
import {
  type TranscriptionRequest,
  type TranslationRequest,
  transcriptionRequestSchema,
  translationRequestSchema,
} from './schema';

export type TranscriptionsClientRequest = {
  format: 'transcriptions';
  body: TranscriptionRequest;
  audio: MeasuredAudio;
};
export type TranslationsClientRequest = {
  format: 'translations';
  body: TranslationRequest;
  audio: MeasuredAudio;
};
type AudioRequest = TranscriptionsClientRequest | TranslationsClientRequest;

const SHAPE: FormShape = {
  file: 'file',
  temperature: 'number',
  stream: 'flag',
  timestamp_granularities: 'list',
  include: 'list',
  chunking_strategy: 'object',
};

const shared: Omit<ClientProtocol<AudioRequest>, 'validate'> = {
  modelType: 'transcription',
  form: { shape: SHAPE, isRequired: true },
  hasFixedOutput: true,
  requestedOutputTokens: () => null,
  wantsStream: ({ body }) => body.stream === true,
  choices: () => 1,
  prompts: () => 1,
  searches: () => 0,
  messages: () => [],
  measure: ({ body }) => measureInput([body.prompt ?? ''], { tools: [], output: [] }),
  units: ({ audio }, model) => mostUnits(audio, model),
  likelyUnits: ({ audio }, model) => likelyUnits(audio, model),
  addCost: ({ body }, response, cost) => (isText(body) ? response : addCost(response, cost)),
};

export const transcriptionsProtocol: ClientProtocol<TranscriptionsClientRequest> = {
  ...shared,
  validate: (json) => {
    const body = validateRequest(transcriptionRequestSchema, json);
    return { format: 'transcriptions', body, audio: readAudio(body) };
  },
};

export const translationsProtocol: ClientProtocol<TranslationsClientRequest> = {
  ...shared,
  wantsStream: () => false,
  validate: (json) => {
    const body = validateRequest(translationRequestSchema, json);
    return { format: 'translations', body, audio: readAudio(body) };
  },
};

function readAudio({ file }: TranscriptionRequest | TranslationRequest): MeasuredAudio {
  try {
    return measureAudio(file.bytes);
  } catch (error) {
    if (error instanceof UnreadableAudio) throw refuse('file', error.message);
    throw error;
  }
}

/** Whether the response is text, and not JSON. */
export const isText = ({ response_format: format }: TranscriptionRequest | TranslationRequest): boolean =>
  format === 'text' || format === 'srt' || format === 'vtt';

/** Its usage is an object by now, and its last field. */
function addCost(response: string, cost: number): string {
  const start = response.indexOf('{', response.lastIndexOf('"usage"')) + 1;
  return `${response.slice(0, start)}"cost":${cost},${response.slice(start)}`;
}
