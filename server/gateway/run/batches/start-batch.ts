import { SECOND_MS } from '../../../base/clock';
import { chargeFor } from '../../../base/credits';
import { NO_RULES } from '../../../base/data-rules';
import { overloaded } from '../../../base/errors';
import type { ApiRequest } from '../../../base/http/api-request';
import { requireUserKeyHash } from '../../../base/http/credentials';
import { readIdempotencyKey } from '../../../base/http/idempotency-key';
import type { Reply } from '../../../base/http/reply';
import { takeKeyTurn } from '../../../base/rate-limit/key-turns';
import { admit, giveToJob, type Hold, release, untilCommitted } from '../../../ledger';
import { type Caller as KeyCaller, requireUserKey } from '../../../people/access/authenticate';
import { readKeySource } from '../../../people/access/key-source';
import { noteKeyUse } from '../../../people/keys/uses';
import { countRefusal } from '../../counts/refusal-counts';
import { ordinaryIdOf } from '../../pricing/batch-models';
import {
  type BatchFormat,
  readCreatedId,
  writeBatch,
  writeMessageBatch,
  writeUpload,
} from '../../providers/batches';
import { policiesOf } from '../candidates';
import { readCeiling, readRunHeaders } from '../ceiling';
import { readClientHeaders } from '../generate';
import type { Claim } from '../idempotent-requests';
import { findLimitRefusal } from '../key-limit';
import type { Caller } from '../read-request';
import { toApiError, tooManyRunning } from '../refusals';
import { respondOnce } from '../respond-once';
import { refuseWithoutProvider, type Submitted, submitJob } from '../submit-job';
import { hashForProviders } from '../user-hash';
import { writeWarnings } from '../warnings';
import { endWithoutResults } from './end-batch';
import { COMPLETE_WITHIN_MS, insertJob, type JobRow, jobIdOf, noteCreated, noteUploaded } from './job-store';
import { type BatchEndpoint, type GivenLine, type PlannedLines, planLines } from './plan-lines';

/** After its deadline, the sweeper ends the hold of a job that no instance looked after. */
const SWEPT_AFTER_SECONDS = COMPLETE_WITHIN_MS / SECOND_MS + 1_800;

/** What a client asks for, whatever its format. */
export type Asked = {
  format: BatchFormat;
  endpoint: BatchEndpoint;
  inputFileId: string | null;
  metadata: Record<string, string> | null;
  lines: AsyncIterable<GivenLine> | Iterable<GivenLine>;
};

export type Incoming = {
  request: ApiRequest;
  requestId: string;
  format: BatchFormat;
  /** Reads the body, after the key was found. */
  read: (keyHash: Buffer) => Promise<{ bodyHash: Buffer; ask: (caller: KeyCaller) => Promise<Asked> }>;
  describe: (job: JobRow) => object;
};

/** Makes a batch of a request, once for an `Idempotency-Key`. */
export async function startBatch(incoming: Incoming): Promise<Reply> {
  const { request, requestId, format } = incoming;
  const counted: Caller = { partnerId: null };
  try {
    const keyHash = requireUserKeyHash(request);
    const waitMs = takeKeyTurn(keyHash);
    if (waitMs > 0) throw await findLimitRefusal(request, keyHash, waitMs);
    const caller = await requireUserKey(request);
    counted.partnerId = caller.partnerId;
    const { bodyHash, ask } = await incoming.read(keyHash);
    const run = (claim: Claim | null) => planAndMake(incoming, caller, keyHash, { ask, claim });
    const key = readIdempotencyKey(request);
    if (key === null) return await run(null);
    const repeated = { key, requestId, bodyHash, format: `batch of ${format}` as const };
    return await respondOnce(request, repeated, counted, run);
  } catch (error) {
    countRefusal(error, counted.partnerId, requestId);
    throw error;
  }
}

/** Planning takes up to some seconds of one core, with pauses for others, and the memory of all lines. */
const planning = new Set<string>();
const MAX_PLANNING = 4;

type Given = { ask: (caller: KeyCaller) => Promise<Asked>; claim: Claim | null };

async function planAndMake(
  incoming: Incoming,
  caller: KeyCaller,
  keyHash: Buffer,
  { ask, claim }: Given,
): Promise<Reply> {
  const { userId } = caller;
  if (planning.has(userId)) throw tooManyRunning();
  if (planning.size >= MAX_PLANNING) throw overloaded();
  planning.add(userId);
  try {
    const asked = await ask(caller);
    const clientHeaders = readClientHeaders(incoming.request);
    const userHash = hashForProviders(caller.appUserId);
    const planned = await planLines(asked.lines, { ...asked, userHash, clientHeaders });
    return await makeBatch(incoming, asked, planned, { keyHash, claim });
  } finally {
    planning.delete(userId);
  }
}

/** The job owns the hold before its provider is called, and its client can find it however this process ends. */
async function makeBatch(
  { request, requestId, describe }: Incoming,
  asked: Asked,
  planned: PlannedLines,
  { keyHash, claim }: { keyHash: Buffer; claim: Claim | null },
): Promise<Reply> {
  const hold = await holdFor(request, requestId, planned, keyHash);
  const refusal = claim === null ? null : await claim.findRefusal(hold);
  if (refusal !== null) {
    await release(hold);
    throw refusal;
  }
  const submission = { candidate: planned.candidate, hold };
  await refuseWithoutProvider(submission);
  const job = await giveHold(hold, asked, planned);
  const warnings = writeWarnings(planned.warnings);
  const reply = {
    body: JSON.stringify(describe(job)),
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...warnings },
  };
  await claim?.keepOfJob(reply);
  await submit(submission, job, planned);
  return reply;
}

/** The whole batch, or nothing: no line could do with less. The limits of the model hold for its batches. */
async function holdFor(
  request: ApiRequest,
  requestId: string,
  { candidate, mostCost }: PlannedLines,
  keyHash: Buffer,
): Promise<Hold> {
  const model = ordinaryIdOf(candidate.model.id);
  const source = readKeySource(request);
  const admission = await admit({
    keyHash,
    requestId,
    model,
    policies: policiesOf([candidate]),
    ...source,
    need: mostCost,
    want: mostCost,
    ceiling: readCeiling(request.headers, keyHash),
    run: readRunHeaders(request.headers),
    isKept: false,
  }).catch((cause: unknown) => {
    throw overloaded(cause);
  });
  if (!admission.ok) throw toApiError(admission, model, keyHash);
  noteKeyUse(admission.hold.keyId, admission.hold.partnerId, source.clientIp);
  return admission.hold;
}

async function giveHold(hold: Hold, asked: Asked, planned: PlannedLines): Promise<JobRow> {
  const { requestId, userId, partnerId, keyId, rateBp, dataRules } = hold;
  const { format, endpoint, inputFileId, metadata } = asked;
  const { model } = planned.candidate;
  const id = jobIdOf(requestId, format);
  let job: JobRow | null = null;
  try {
    await giveToJob(hold, { jobId: id, seconds: SWEPT_AFTER_SECONDS }, async (client) => {
      job = await insertJob(client, {
        id,
        user_id: userId,
        partner_id: partnerId,
        key_id: keyId,
        format,
        model: model.id,
        price_version: model.priceVersion,
        rate_bp: rateBp,
        data_rules: dataRules === NO_RULES ? null : dataRules,
        endpoint,
        input_file_id: inputFileId,
        most_cost: chargeFor(planned.mostCost, 0).providerCost,
        lines: planned.lines,
        metadata,
      });
    });
  } catch (cause) {
    // If it was committed all the same, the job ends without its hold, and without a charge.
    await release(hold);
    throw overloaded(cause);
  }
  if (job === null) throw overloaded();
  return job;
}

type Submission = Parameters<typeof submitJob>[0];

async function submit(submission: Submission, job: JobRow, planned: PlannedLines): Promise<void> {
  const submitted = await callProvider(submission, job, planned);
  const { requestId } = submission.hold;
  if (submitted === 'unknown') return;
  if ('upstreamId' in submitted)
    return untilCommitted(requestId, 'noting a batch', async () => {
      await noteCreated(job.id, submitted.upstreamId);
    });
  const { failure, loss } = submitted;
  await untilCommitted(requestId, 'the end of a batch', () =>
    endWithoutResults(job, { message: failure.error.message, loss }),
  );
  throw failure.error;
}

/** `unknown`: the provider may have created it, and will be asked for it. Nobody is billed for uploaded lines. */
async function callProvider(
  submission: Submission,
  job: JobRow,
  { written, headers }: PlannedLines,
): Promise<Submitted | 'unknown'> {
  if (job.format === 'anthropic') {
    const call = writeMessageBatch(written);
    return submitJob(
      submission,
      { ...call, headers: { ...headers, ...call.headers } },
      call.body,
      readCreatedId,
    );
  }
  const upload = writeUpload(written);
  const uploaded = await submitJob(submission, upload, upload.body, readCreatedId);
  if ('failure' in uploaded) return { ...uploaded, loss: null };
  const { upstreamId: uploadId } = uploaded;
  const isRunning = await untilCommitted(submission.hold.requestId, 'noting an upload', () =>
    noteUploaded(job.id, uploadId),
  );
  if (!isRunning) throw overloaded();
  const call = writeBatch(job.id, job.endpoint, uploadId);
  const created = await submitJob(submission, call, call.body, readCreatedId);
  return 'failure' in created && created.loss !== null ? 'unknown' : created;
}
