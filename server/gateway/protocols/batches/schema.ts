import { z } from 'zod';
import { expecting, json, text } from '../read-fields';

/** Batches of requests, in the formats of OpenAI and Anthropic. */

const MAX_PAIRS = 16;

const metadata = z
  .record(z.string().max(64), z.string({ error: 'must be a string' }).max(512))
  .refine((pairs) => Object.keys(pairs).length <= MAX_PAIRS, {
    error: `must have at most ${MAX_PAIRS} pairs`,
  })
  .nullish()
  .meta({ description: `Returned with the batch: at most ${MAX_PAIRS} pairs of text.` });

export const batchRequestSchema = z.object({
  input_file_id: text.meta({ description: 'The file with the lines, from `POST /v1/files`.' }),
  endpoint: z
    .enum(['/v1/chat/completions', '/v1/responses', '/v1/embeddings'], {
      error: expecting('one of /v1/chat/completions, /v1/responses, /v1/embeddings'),
    })
    .meta({ description: 'The endpoint of every line.' }),
  completion_window: z.literal('24h', { error: expecting('24h') }),
  metadata,
});

export const messageBatchRequestSchema = z.object({
  requests: z
    .array(z.looseObject({ custom_id: text, params: json }, { error: 'must be an object' }), {
      error: expecting('an array of requests'),
    })
    .min(1, { error: 'must hold at least one request' })
    .meta({ description: 'Requests of `POST /v1/messages`, all for one model.' }),
});

export const fileUploadSchema = z.object({
  purpose: z.literal('batch', { error: expecting('batch') }),
  file: z.unknown().optional().meta({
    type: 'string',
    format: 'binary',
    description: 'JSONL: `custom_id`, `method`, `url` and `body` in each line.',
  }),
});

const seconds = z.int().nullable();
const usage = z
  .object({ cost: z.number().meta({ description: 'What the user was charged, in USD.' }) })
  .nullable()
  .meta({ description: 'Null while the batch runs.' });

export const batchSchema = z.object({
  id: z.string(),
  object: z.literal('batch'),
  endpoint: z.string(),
  model: z.string(),
  errors: z
    .object({
      object: z.literal('list'),
      data: z.array(
        z.object({
          code: z.string(),
          message: z.string(),
          line: z.int().nullable(),
          param: z.string().nullable(),
        }),
      ),
    })
    .nullable(),
  input_file_id: z.string(),
  completion_window: z.literal('24h'),
  status: z.enum([
    'validating',
    'in_progress',
    'finalizing',
    'completed',
    'expired',
    'cancelling',
    'cancelled',
    'failed',
  ]),
  output_file_id: z.string().nullable(),
  error_file_id: z.string().nullable(),
  created_at: z.int(),
  in_progress_at: seconds,
  expires_at: seconds,
  finalizing_at: seconds,
  completed_at: seconds,
  failed_at: seconds,
  expired_at: seconds,
  cancelling_at: seconds,
  cancelled_at: seconds,
  request_counts: z.object({ total: z.int(), completed: z.int(), failed: z.int() }),
  metadata: z.record(z.string(), z.string()).nullable(),
  usage,
});

export const messageBatchSchema = z.object({
  id: z.string(),
  type: z.literal('message_batch'),
  processing_status: z.enum(['in_progress', 'canceling', 'ended']),
  request_counts: z.object({
    processing: z.int(),
    succeeded: z.int(),
    errored: z.int(),
    canceled: z.int(),
    expired: z.int(),
  }),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  ended_at: z.iso.datetime().nullable(),
  cancel_initiated_at: z.iso.datetime().nullable(),
  archived_at: z.null(),
  results_url: z.string().nullable(),
  usage,
});

export const fileSchema = z.object({
  id: z.string(),
  object: z.literal('file'),
  bytes: z.int(),
  created_at: z.int(),
  expires_at: z.int(),
  filename: z.string(),
  purpose: z.enum(['batch', 'batch_output']),
  status: z.literal('processed'),
});

const pageOf = <Item extends z.ZodType>(item: Item) => ({
  data: z.array(item),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
});

export const batchListSchema = z.object({ object: z.literal('list'), ...pageOf(batchSchema) });
export const messageBatchListSchema = z.object(pageOf(messageBatchSchema));
export const fileListSchema = z.object({ object: z.literal('list'), ...pageOf(fileSchema) });
export const deletedFileSchema = z.object({
  id: z.string(),
  object: z.literal('file'),
  deleted: z.literal(true),
});
export const deletedMessageBatchSchema = z.object({
  id: z.string(),
  type: z.literal('message_batch_deleted'),
});

export type Batch = z.output<typeof batchSchema>;
export type MessageBatch = z.output<typeof messageBatchSchema>;
export type StoredFile = z.output<typeof fileSchema>;

const LARGEST_PAGE = 100;
const limit = (usual: number) =>
  z.coerce
    .number(`must be a number from 1 to ${LARGEST_PAGE}`)
    .int()
    .min(1)
    .max(LARGEST_PAGE)
    .default(usual)
    .meta({ description: `Entries per page, at most ${LARGEST_PAGE}.` });
const idOf = (what: string) =>
  z
    .string()
    .regex(/^\w{1,70}$/, `must be the id of a ${what}`)
    .optional();

export const batchesQuerySchema = z.object({
  limit: limit(20),
  after: idOf('batch').meta({ description: 'The id of the batch before the page.' }),
});
export const messageBatchesQuerySchema = z.object({
  limit: limit(20),
  after_id: idOf('batch').meta({ description: 'The id of the batch before the page.' }),
  before_id: idOf('batch').meta({ description: 'The id of the batch after the page.' }),
});
export const filesQuerySchema = z.object({
  limit: limit(100),
  order: z
    .enum(['asc', 'desc'], 'must be asc or desc')
    .default('desc')
    .meta({ description: 'Oldest or newest first.' }),
  after: idOf('file').meta({ description: 'The id of the file before the page.' }),
  purpose: z.literal('batch', 'must be batch').optional(),
});
