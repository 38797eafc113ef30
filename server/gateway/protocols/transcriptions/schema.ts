import { z } from 'zod';
import { UploadedFile } from '../../../base/http/read-multipart';
import { anyNumber, expecting, flag, text } from '../read-fields';

export const MAX_FILE_BYTES = 25 * 1024 * 1024;
const MAX_PROMPT = 32_000;

const shared = {
  model: z
    .string({ error: expecting('a model id such as openai/whisper-1') })
    .min(1)
    .meta({ description: 'A model with `type: "transcription"`; `GET /v1/models` lists them.' }),
  file: z
    .custom<UploadedFile>((file) => file instanceof UploadedFile, { error: 'is required: an audio file' })
    .refine((file) => file.bytes.length <= MAX_FILE_BYTES, { error: 'must have at most 25 MB' })
    .meta({
      type: 'string',
      format: 'binary',
      description: 'A recording as WAV, MP3, M4A with AAC, WebM or Ogg with Opus, Ogg with Vorbis, or FLAC.',
    }),
  prompt: text.max(MAX_PROMPT, { error: `must have at most ${MAX_PROMPT} characters` }).nullish(),
  response_format: z
    .enum(['json', 'text', 'srt', 'verbose_json', 'vtt'], {
      error: 'must be `json`, `text`, `srt`, `verbose_json` or `vtt`',
    })
    .nullish()
    .meta({ description: 'Default `json`. Not every model has all.' }),
  temperature: anyNumber.nullish(),
};

const listOf = <Value extends string>(values: readonly [Value, ...Value[]]) =>
  z.array(z.enum(values, { error: `must be one of ${values.join(', ')}` })).nullish();

/** A request for a transcript, in OpenAI's format. */
export const transcriptionRequestSchema = z.looseObject({
  ...shared,
  language: text.max(40).nullish().meta({ description: 'The language of the recording, such as `en`.' }),
  stream: flag.nullish().meta({ description: 'Only models that are priced by tokens stream.' }),
  timestamp_granularities: listOf(['word', 'segment']).meta({
    description: 'For `verbose_json`. In a form, `timestamp_granularities[]`.',
  }),
  include: listOf(['logprobs']),
});

/** A request for a transcript in English, in OpenAI's format. */
export const translationRequestSchema = z.looseObject(shared);

export type TranscriptionRequest = z.output<typeof transcriptionRequestSchema>;
export type TranslationRequest = z.output<typeof translationRequestSchema>;
