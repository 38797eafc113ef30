import { z } from 'zod';

/** The states of a job, as OpenAI names them. */
const VIDEO_STATES = ['queued', 'in_progress', 'completed', 'failed'] as const;

export const videoSchema = z.object({
  id: z.string(),
  object: z.literal('video'),
  model: z.string(),
  status: z.enum(VIDEO_STATES),
  progress: z.int().meta({ description: 'Percent, as the provider reports it.' }),
  created_at: z.int().meta({ description: 'Unix seconds.' }),
  completed_at: z.int().nullable(),
  expires_at: z
    .int()
    .nullable()
    .meta({ description: 'When the job is forgotten. The video may be deleted at its provider before.' }),
  prompt: z.null().meta({ description: 'Not stored.' }),
  remixed_from_video_id: z.null(),
  seconds: z.string(),
  size: z.string(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  usage: z
    .object({ cost: z.number().meta({ description: 'What the user was charged, in USD.' }) })
    .nullable()
    .meta({ description: 'Null while the job runs.' }),
});

export type Video = z.output<typeof videoSchema>;

export const videoListSchema = z.object({
  object: z.literal('list'),
  data: z.array(videoSchema),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
});

export const deletedVideoSchema = z.object({
  id: z.string(),
  object: z.literal('video.deleted'),
  deleted: z.literal(true),
});
