import { z } from 'zod';
import { requireImageUrl } from '../media';
import type { Json } from '../neutral';
import { expecting, refuse, text, validateRequest } from '../read-fields';

const MAX_INPUTS = 2048;

const partSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text }),
  z.looseObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: text }) }),
]);

/** A moderation request, in OpenAI's format. */
export const moderationsRequestSchema = z.looseObject({
  model: z
    .string({ error: expecting('a model id such as openai/omni-moderation-2024-09-26') })
    .min(1)
    .meta({ description: 'A model with `type: "moderation"`; `GET /v1/models` lists them.' }),
  input: z
    .union([text, z.array(text).min(1).max(MAX_INPUTS), z.array(partSchema).min(1).max(MAX_INPUTS)])
    .meta({
      description: `Text, up to ${MAX_INPUTS} texts, or the parts of one message: texts and images, as data URLs or at https addresses.`,
    }),
});

export type ModerationsRequest = z.output<typeof moderationsRequestSchema>;

/** One text for every fault of the input: the members of the union each describe it in their own way. */
export function validateModerations(json: Json): ModerationsRequest {
  if (!moderationsRequestSchema.shape.input.safeParse(json.input).success)
    throw refuse(
      'input',
      `must be a string, or an array of at most ${MAX_INPUTS} strings, or of parts of the types text and image_url`,
    );
  const request = validateRequest(moderationsRequestSchema, json);
  for (const part of partsOf(request))
    if (part.type === 'image_url') requireImageUrl(part.image_url.url, 'input.image_url.url');
  return request;
}

type Part = z.output<typeof partSchema>;

/** The parts of the message; none if the input consists of texts. */
function partsOf({ input }: ModerationsRequest): Part[] {
  return typeof input === 'string' ? [] : input.filter((item) => typeof item !== 'string');
}

/** What is read one by one: each text, or the message as a whole. */
export function messagesOf(request: ModerationsRequest): unknown[] {
  const { input } = request;
  if (typeof input === 'string') return [input];
  return partsOf(request).length > 0 ? [{ role: 'user', content: input }] : input;
}
