import { z } from 'zod';
import { anyNumber, expecting } from '../read-fields';

const MAX_INPUT = 4_096;

/** A request for speech, in OpenAI's format. */
export const speechRequestSchema = z.looseObject({
  model: z
    .string({ error: expecting('a model id such as openai/tts-1') })
    .min(1)
    .meta({ description: 'A model with `type: "speech"`; `GET /v1/models` lists them.' }),
  input: z
    .string({ error: expecting('the text to speak') })
    .min(1, { error: 'is required: the text to speak' })
    .max(MAX_INPUT, { error: `must have at most ${MAX_INPUT} characters` }),
  voice: z
    .string({ error: expecting('the name of a voice, such as alloy') })
    .min(1)
    .max(100, { error: 'must have at most 100 characters' })
    .meta({ description: 'A voice of the provider, such as `alloy` at OpenAI.' }),
  response_format: z
    .enum(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'], {
      error: 'must be `mp3`, `opus`, `aac`, `flac`, `wav` or `pcm`',
    })
    .nullish()
    .meta({ description: 'Default `mp3`. Not every model has all.' }),
  speed: anyNumber.min(0.25).max(4).nullish(),
  stream_format: z
    .enum(['audio'], { error: 'must be `audio`: the audio is sent as it is made' })
    .nullish()
    .meta({ description: 'The audio is always sent as it is made, as bytes and not as events.' }),
});

export type SpeechRequest = z.output<typeof speechRequestSchema>;
