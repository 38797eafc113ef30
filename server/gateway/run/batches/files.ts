import type { z } from 'zod';
import { toUnixSeconds } from '../../../base/clock';
import { ApiError } from '../../../base/errors';
import type { ApiRequest } from '../../../base/http/api-request';
import { requireUserKeyHash } from '../../../base/http/credentials';
import { validate } from '../../../base/http/read-body';
import { readMultipart, requireMultipart, UploadedFile } from '../../../base/http/read-multipart';
import type { Reply } from '../../../base/http/reply';
import { privateJson } from '../../../base/http/respond';
import { limitNameOf, takeKeyTurn } from '../../../base/rate-limit/key-turns';
import { requireUserKey } from '../../../people/access/authenticate';
import {
  type deletedFileSchema,
  type fileListSchema,
  filesQuerySchema,
  fileUploadSchema,
  type StoredFile,
} from '../../protocols/batches/schema';
import { type FormShape, readFormFields } from '../../protocols/form-fields';
import { refuse } from '../../protocols/read-fields';
import type { KeptReader } from '../kept-store';
import { findLimitRefusal } from '../key-limit';
import { askFor } from '../stored-responses';
import {
  deleteFile,
  type FileRow,
  findFile,
  listFiles,
  MAX_FILE_BYTES,
  openName,
  readPieces,
  storeFile,
} from './file-store';
import { BATCHES_KEPT_MS, findJob } from './job-store';
import { edgesOf } from './read-batches';
import { readResultFileId, sendResults } from './send-results';

/** The endpoints of files: those that users upload, and the results of batches. */

const SHAPE: FormShape = { file: 'file', expires_after: 'object' };
/** Fields and headers of the form. */
const FORM_BYTES = 64 * 1024;
const MAX_NAME = 255;

export async function uploadFile(request: ApiRequest): Promise<Reply> {
  const keyHash = requireUserKeyHash(request);
  const waitMs = takeKeyTurn(keyHash);
  if (waitMs > 0) throw await findLimitRefusal(request, keyHash, waitMs);
  const { userId, partnerId, keyId } = await requireUserKey(request);
  requireMultipart(request);
  const limits = { limitBytes: MAX_FILE_BYTES + FORM_BYTES, key: limitNameOf(keyHash) };
  const { file } = validate(fileUploadSchema, readFormFields(await readMultipart(request, limits), SHAPE));
  if (!(file instanceof UploadedFile)) throw refuse('file', 'is required: a file of JSONL');
  const { bytes, filename } = file;
  if (bytes.length > MAX_FILE_BYTES)
    throw refuse('file', `must have at most ${MAX_FILE_BYTES / 1024 / 1024} MB`);
  const row = await storeFile({ userId, partnerId, keyId, name: filename.slice(0, MAX_NAME), bytes });
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  return { body: JSON.stringify(describeFile(row)), headers };
}

const describeFile = (row: FileRow): StoredFile => ({
  id: row.id,
  object: 'file',
  bytes: row.bytes,
  created_at: toUnixSeconds(row.created_at),
  expires_at: toUnixSeconds(row.expires_at),
  filename: openName(row),
  purpose: 'batch',
  status: 'processed',
});

const notFound = (): ApiError =>
  new ApiError(
    'not_found',
    'No file with this id belongs to this user in this app. Files are deleted 7 days after their upload.',
  );

async function requireFile(owner: KeptReader, id: string): Promise<FileRow> {
  const file = await findFile(owner, id);
  if (file === null) throw notFound();
  return file;
}

/** The batch whose results are in the file; null for one that was uploaded. */
async function findResults(owner: KeptReader, id: string) {
  const named = readResultFileId(id);
  if (named === null) return null;
  const job = await findJob(owner, named.jobId);
  const { which } = named;
  if (job === null || (which === 'output' ? job.output_id : job.error_id) === null) throw notFound();
  return { job, which };
}

export async function sendFile(request: Request, id: string): Promise<Response> {
  const { owner } = await askFor(request);
  const results = await findResults(owner, id);
  if (results === null) return privateJson(describeFile(await requireFile(owner, id)));
  const { job, which } = results;
  const endedAt = job.ended_at ?? job.created_at;
  return privateJson({
    id,
    object: 'file',
    bytes: which === 'output' ? job.output_bytes : job.error_bytes,
    created_at: toUnixSeconds(endedAt),
    expires_at: toUnixSeconds(new Date(endedAt.getTime() + BATCHES_KEPT_MS)),
    filename: `${job.id}_${which}.jsonl`,
    purpose: 'batch_output',
    status: 'processed',
  } satisfies StoredFile);
}

export async function sendFileContent(request: Request, id: string): Promise<Response> {
  const { owner } = await askFor(request);
  const results = await findResults(owner, id);
  if (results !== null) return sendResults(results.job, results.which);
  const file = await requireFile(owner, id);
  const pieces = readPieces(file);
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    },
    { highWaterMark: 1 },
  );
  return new Response(body, {
    headers: {
      'content-type': 'application/x-jsonl',
      'content-length': String(file.bytes),
      'cache-control': 'no-store',
    },
  });
}

export async function listStoredFiles(request: Request): Promise<Response> {
  const { owner } = await askFor(request);
  const page = validate(filesQuerySchema, Object.fromEntries(new URL(request.url).searchParams));
  const found = await listFiles(owner, page);
  const data = found.slice(0, page.limit).map(describeFile);
  return privateJson({ object: 'list', ...edgesOf(data, found.length > page.limit) } satisfies z.output<
    typeof fileListSchema
  >);
}

/** The results of a batch are deleted with it. */
export async function deleteStoredFile(request: Request, id: string): Promise<Response> {
  const { owner } = await askFor(request);
  if (!(await deleteFile(owner, id))) throw notFound();
  return privateJson({ id, object: 'file', deleted: true } satisfies z.output<typeof deletedFileSchema>);
}
