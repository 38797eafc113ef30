import {
  batchesQuerySchema,
  filesQuerySchema,
  messageBatchesQuerySchema,
} from '../../../gateway/protocols/batches/schema';
import type { Operation } from '../operation';
import { ERRORS_OF_KEPT, GENERATION } from './generate';

const FILE = {
  id: 'file_VcJbIuLYpqmchw6FdkYbz7',
  object: 'file',
  bytes: 1_482,
  created_at: 1_795_909_921,
  expires_at: 1_796_514_721,
  filename: 'questions.jsonl',
  purpose: 'batch',
  status: 'processed',
};

const BATCH = {
  id: 'batch_VcJbIuLYpqmchw6FdkYbz7',
  object: 'batch',
  endpoint: '/v1/chat/completions',
  model: 'sandbox/story:batch',
  errors: null,
  input_file_id: FILE.id,
  completion_window: '24h',
  status: 'completed',
  output_file_id: 'file_out_VcJbIuLYpqmchw6FdkYbz7',
  error_file_id: null,
  created_at: 1_795_909_991,
  in_progress_at: 1_795_909_991,
  expires_at: 1_795_996_391,
  finalizing_at: 1_795_913_591,
  completed_at: 1_795_913_591,
  failed_at: null,
  expired_at: null,
  cancelling_at: null,
  cancelled_at: null,
  request_counts: { total: 2, completed: 2, failed: 0 },
  metadata: null,
  usage: { cost: 0.0042 },
};

const MESSAGE_BATCH = {
  id: 'msgbatch_VcJbIuLYpqmchw6FdkYbz7',
  type: 'message_batch',
  processing_status: 'in_progress',
  request_counts: { processing: 2, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
  created_at: '2026-11-29T01:13:11.000Z',
  expires_at: '2026-11-30T01:13:11.000Z',
  ended_at: null,
  cancel_initiated_at: null,
  archived_at: null,
  results_url: null,
  usage: null,
};

const FILE_ID = { id: { description: 'The id of the file.', example: FILE.id } };
const BATCH_ID = { id: { description: 'The id of the batch.', example: BATCH.id } };
const MESSAGE_BATCH_ID = { id: { description: 'The id of the batch.', example: MESSAGE_BATCH.id } };

const user = { group: 'generate', auth: 'user-key' } as const;
const OF_LISTS = ERRORS_OF_KEPT.filter((code) => code !== 'not_found');
const NOT_STORED =
  'The lines are stored at the provider for days, so a batch never meets the data rule `no_retention`.';
const pageOf = <Item extends { id: string }>(item: Item) => ({
  data: [item],
  first_id: item.id,
  last_id: item.id,
  has_more: false,
});

const FILES: Operation[] = [
  {
    ...user,
    id: 'uploadFile',
    method: 'post',
    path: '/v1/files',
    summary: 'Upload a file',
    description:
      'Stores the lines of a batch, encrypted, for 7 days: at most 16 MB and 10,000 lines. A user can have 100 files and 256 MB. Free of charge.',
    body: {
      schema: 'FileUpload',
      isMultipart: true,
      examples: { lines: { summary: 'Lines of JSON', value: { purpose: 'batch', file: '(JSONL)' } } },
    },
    response: { description: 'The file.', schema: 'File', example: FILE },
    errorFormat: 'chat',
    errors: ['invalid_request', ...OF_LISTS, 'request_too_large', 'unsupported_encoding'],
  },
  {
    ...user,
    id: 'listFiles',
    method: 'get',
    path: '/v1/files',
    summary: 'List files',
    description:
      'Returns the files that the user uploaded in this app; a run key gets those of its branch. The results of batches are not among them.',
    query: {
      schema: filesQuerySchema,
      examples: { limit: 20, order: 'desc', after: FILE.id, purpose: 'batch' },
    },
    response: { description: 'The files.', schema: 'FileList', example: { object: 'list', ...pageOf(FILE) } },
    errorFormat: 'chat',
    errors: ['invalid_request', ...OF_LISTS],
  },
  {
    ...user,
    id: 'readFile',
    method: 'get',
    path: '/v1/files/{id}',
    summary: 'Read a file',
    description: 'Returns what is known of a file, or of the results of a batch.',
    pathParameters: FILE_ID,
    response: { description: 'The file.', schema: 'File', example: FILE },
    errorFormat: 'chat',
    errors: ERRORS_OF_KEPT,
  },
  {
    ...user,
    id: 'readFileContent',
    method: 'get',
    path: '/v1/files/{id}/content',
    summary: 'Download a file',
    description: 'Returns a file. The results of a batch are read from its provider.',
    pathParameters: FILE_ID,
    response: { description: 'The lines.', contentType: 'application/x-jsonl' },
    errorFormat: 'chat',
    errors: [...ERRORS_OF_KEPT, 'upstream_error'],
  },
  {
    ...user,
    id: 'deleteFile',
    method: 'delete',
    path: '/v1/files/{id}',
    summary: 'Delete a file',
    description: 'Deletes an uploaded file. Batches that were made of it go on.',
    pathParameters: FILE_ID,
    response: {
      description: 'The file is deleted.',
      schema: 'DeletedFile',
      example: { id: FILE.id, object: 'file', deleted: true },
    },
    errorFormat: 'chat',
    errors: ERRORS_OF_KEPT,
  },
];

const OF_OPENAI: Operation[] = [
  {
    ...GENERATION,
    id: 'createBatch',
    path: '/v1/batches',
    summary: 'Create a batch',
    description: `Sends the lines of a file to a model of OpenAI, which answers them within a day at half the price. All lines have one model. The most that they can cost together is held; what was answered is charged once, when the batch ends. ${NOT_STORED}`,
    body: {
      schema: 'BatchRequest',
      examples: {
        chat: {
          summary: 'Lines for chat completions',
          value: { input_file_id: FILE.id, endpoint: '/v1/chat/completions', completion_window: '24h' },
        },
      },
    },
    response: {
      description: 'The batch.',
      schema: 'Batch',
      headers: ['x-svc-warnings'],
      example: { ...BATCH, status: 'validating', output_file_id: null, completed_at: null, usage: null },
    },
  },
  {
    ...user,
    id: 'listBatches',
    method: 'get',
    path: '/v1/batches',
    summary: 'List batches',
    description: 'Returns the batches of the user in this app; a run key gets those of its branch.',
    query: { schema: batchesQuerySchema, examples: { limit: 20, after: BATCH.id } },
    response: {
      description: 'The batches.',
      schema: 'BatchList',
      example: { object: 'list', ...pageOf(BATCH) },
    },
    errorFormat: 'chat',
    errors: ['invalid_request', ...OF_LISTS],
  },
  {
    ...user,
    id: 'readBatch',
    method: 'get',
    path: '/v1/batches/{id}',
    summary: 'Read a batch',
    description: 'Returns the state of a batch, and what it was charged when it has ended.',
    pathParameters: BATCH_ID,
    response: { description: 'The batch.', schema: 'Batch', example: BATCH },
    errorFormat: 'chat',
    errors: ERRORS_OF_KEPT,
  },
  {
    ...user,
    id: 'cancelBatch',
    method: 'post',
    path: '/v1/batches/{id}/cancel',
    summary: 'Cancel a batch',
    description: 'Asks the provider to cancel a batch. Lines that were answered by then are charged.',
    pathParameters: BATCH_ID,
    response: { description: 'The batch.', schema: 'Batch', example: { ...BATCH, status: 'cancelling' } },
    errorFormat: 'chat',
    errors: ERRORS_OF_KEPT,
  },
];

const OF_ANTHROPIC: Operation[] = [
  {
    ...GENERATION,
    id: 'createMessageBatch',
    path: '/v1/messages/batches',
    summary: 'Create a batch of messages',
    description: `Sends requests of the messages format to a model of Anthropic, which answers them within a day at half the price. They are held and charged like a batch of \`POST /v1/batches\`. ${NOT_STORED}`,
    body: {
      schema: 'MessageBatchRequest',
      examples: {
        one: {
          summary: 'One request',
          value: {
            requests: [
              {
                custom_id: 'question-1',
                params: {
                  model: 'sandbox-anthropic/story',
                  max_tokens: 500,
                  messages: [{ role: 'user', content: 'Why is the sea salty?' }],
                },
              },
            ],
          },
        },
      },
    },
    response: {
      description: 'The batch.',
      schema: 'MessageBatch',
      headers: ['x-svc-warnings'],
      example: MESSAGE_BATCH,
    },
    errorFormat: 'messages',
  },
  {
    ...user,
    id: 'listMessageBatches',
    method: 'get',
    path: '/v1/messages/batches',
    summary: 'List batches of messages',
    description:
      'Returns the batches of messages of the user in this app; a run key gets those of its branch.',
    query: {
      schema: messageBatchesQuerySchema,
      examples: { limit: 20, after_id: MESSAGE_BATCH.id, before_id: MESSAGE_BATCH.id },
    },
    response: { description: 'The batches.', schema: 'MessageBatchList', example: pageOf(MESSAGE_BATCH) },
    errorFormat: 'messages',
    errors: ['invalid_request', ...OF_LISTS],
  },
  {
    ...user,
    id: 'readMessageBatch',
    method: 'get',
    path: '/v1/messages/batches/{id}',
    summary: 'Read a batch of messages',
    description: 'Returns the state of a batch, and what it was charged when it has ended.',
    pathParameters: MESSAGE_BATCH_ID,
    response: { description: 'The batch.', schema: 'MessageBatch', example: MESSAGE_BATCH },
    errorFormat: 'messages',
    errors: ERRORS_OF_KEPT,
  },
  {
    ...user,
    id: 'readMessageBatchResults',
    method: 'get',
    path: '/v1/messages/batches/{id}/results',
    summary: 'Download the results of a batch of messages',
    description: 'Returns a line for each request, read from the provider.',
    pathParameters: MESSAGE_BATCH_ID,
    response: { description: 'The lines.', contentType: 'application/x-jsonl' },
    errorFormat: 'messages',
    errors: [...ERRORS_OF_KEPT, 'upstream_error'],
  },
  {
    ...user,
    id: 'cancelMessageBatch',
    method: 'post',
    path: '/v1/messages/batches/{id}/cancel',
    summary: 'Cancel a batch of messages',
    description: 'Asks the provider to cancel a batch. Requests that were answered by then are charged.',
    pathParameters: MESSAGE_BATCH_ID,
    response: {
      description: 'The batch.',
      schema: 'MessageBatch',
      example: { ...MESSAGE_BATCH, processing_status: 'canceling' },
    },
    errorFormat: 'messages',
    errors: ERRORS_OF_KEPT,
  },
  {
    ...user,
    id: 'deleteMessageBatch',
    method: 'delete',
    path: '/v1/messages/batches/{id}',
    summary: 'Delete a batch of messages',
    description: 'Deletes a batch that has ended, with its results.',
    pathParameters: MESSAGE_BATCH_ID,
    response: {
      description: 'The batch is deleted.',
      schema: 'DeletedMessageBatch',
      example: { id: MESSAGE_BATCH.id, type: 'message_batch_deleted' },
    },
    errorFormat: 'messages',
    errors: ['invalid_request', ...ERRORS_OF_KEPT],
  },
];

export const BATCHES: Operation[] = [...FILES, ...OF_OPENAI, ...OF_ANTHROPIC];
