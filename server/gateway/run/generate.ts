import { setImmediate as letOthersRun } from 'node:timers/promises';
import { now } from '../../base/clock';
import type { Picocredits } from '../../base/credits';
import { settings } from '../../base/env';
import { type ApiError, invariant, overloaded } from '../../base/errors';
import { type ApiRequest, isDisconnected, type WithHeaders, watchClient } from '../../base/http/api-request';
import { holdBodyUntil } from '../../base/http/body-bytes';
import { NOBODY, type Reply } from '../../base/http/reply';
import { newId } from '../../base/ids';
import { generationStarts } from '../../base/measures';
import { traceOf } from '../../base/tracing';
import { admit, canSpend, countRunning, type Hold, type Lack, release, runKeyOf } from '../../ledger';
import { readKeySource } from '../../people/access/key-source';
import { shareLimitsOf } from '../../people/access/shared-limits';
import { noteKeyUse } from '../../people/keys/uses';
import { countRefusal } from '../counts/refusal-counts';
import { withinRules } from '../pricing/met-rules';
import type { ClientProtocol } from '../protocols/client-protocol';
import type { ClientRequest } from '../protocols/client-protocols';
import { type Measure, measureDocuments } from '../protocols/measure-size';
import type { ClientHeaders } from '../providers/exchange';
import type { AdmittedJob, StartJob } from './admitted-job';
import type { ProviderStream } from './attempt';
import { type Candidate, type Candidates, meeting, policiesOf } from './candidates';
import { chooseResponse } from './choose-response';
import { handleDisconnect } from './client-disconnect';
import { type ChainedPrompt, findCounted, withMedia } from './counted-prompts';
import type { Claim } from './idempotent-requests';
import { type KeptResponses, NOTHING_KEPT, type Owner } from './kept-responses';
import { findLimitRefusal } from './key-limit';
import { estimateUsage } from './likely-usage';
import { countForNetwork, findNetworkRefusal } from './network-share';
import { findOtherHash } from './other-hash';
import { fitOutputCap, fitSearches, type Plan, planRequest } from './plan';
import { isFull } from './provider-share';
import { AT_ONCE_BYTES, type Caller, type ReadRequest, readModelRequest } from './read-request';
import { toApiError, warnOfSearches } from './refusals';
import { findDisconnectRefusal } from './repeated-disconnects';
import { respondOnce } from './respond-once';
import { mayNotBeCutOff, type Run, runningGenerations, startRun } from './run';
import { sendResponse } from './send-response';
import { settleWithoutResponse } from './settle-run';
import { streamResponse } from './stream-response';
import { hashForProviders } from './user-hash';
import { writeWarnings } from './warnings';

/** A request on its way to the admission. */
type Incoming = {
  request: ApiRequest;
  requestId: string;
  protocol: ClientProtocol<ClientRequest>;
  caller: Caller;
  kept: KeptResponses;
  /** Null for requests that end with their response. */
  startJob: StartJob | null;
  receivedAtMs: number;
  /** Ends the response with an error, while the request may go on for its bill. */
  endResponse: (error: ApiError) => void;
};

/** Handles one generation request. A refused or failed request has no receipt, so it is counted here. */
export async function generate(
  request: ApiRequest,
  requestId: string,
  protocol: ClientProtocol<ClientRequest>,
  { kept = NOTHING_KEPT, startJob = null }: { kept?: KeptResponses; startJob?: StartJob | null } = {},
): Promise<Reply> {
  const caller: Caller = { partnerId: null };
  try {
    return await new Promise<Reply>((resolve, endResponse) => {
      const incoming = {
        request,
        requestId,
        protocol,
        caller,
        kept,
        startJob,
        receivedAtMs: now(),
        endResponse,
      };
      runIncoming(incoming).then(resolve, endResponse);
    });
  } catch (error) {
    // After a disconnect no client receives the error.
    if (!isDisconnected(request)) countRefusal(error, caller.partnerId, requestId);
    throw error;
  }
}

async function runIncoming(incoming: Incoming): Promise<Reply> {
  const { request, requestId, caller } = incoming;
  const read = await readAllowed(incoming);
  const { idempotency, body } = read;
  if (idempotency === null) return respond(incoming, read, null);
  const repeated = { requestId, format: body.format, ...idempotency };
  return respondOnce(request, repeated, caller, (claim) => respond(incoming, read, claim));
}

async function readAllowed({
  request,
  requestId,
  protocol,
  caller,
}: Incoming): Promise<ReadRequest<ClientRequest>> {
  const read = await readModelRequest(request, protocol, caller);
  const { keyHash, waitMs, candidates } = read;
  const model = candidates[0].model.id;
  traceOf(requestId)?.set({ 'gen_ai.request.model': model });
  if (waitMs > 0) throw await findLimitRefusal(request, keyHash, waitMs, candidates);
  return read;
}

async function respond(
  incoming: Incoming,
  read: ReadRequest<ClientRequest>,
  claim: Claim | null,
): Promise<Reply> {
  const { request, startJob } = incoming;
  if (startJob !== null) {
    const job = await admitRequest(incoming, read, claim, (planned, held) => toJob(read, planned, held));
    return startJob(job);
  }
  const run = await admitRequest(incoming, read, claim, (planned, held) => {
    const started = startAdmitted(incoming, read, planned, held);
    countForNetwork(started, readKeySource(request).clientIp);
    return started;
  });
  const reply = await respondTo(run, request);
  generationStarts.add(run.wantsStream ? 'true' : 'false', now() - incoming.receivedAtMs);
  return reply;
}

/** The request with what bounds its cost. */
type Planned = {
  resolved: Awaited<ReturnType<KeptResponses['resolve']>>;
  isLarge: boolean;
  clientHeaders: ClientHeaders;
  found: ChainedPrompt | null;
  prompt: ChainedPrompt | null;
  measure: Measure;
  plan: Plan;
};

/** Makes the hold. `begin` takes its place with nothing between, so that no other request takes it too. */
async function admitRequest<T>(
  incoming: Incoming,
  read: ReadRequest<ClientRequest>,
  claim: Claim | null,
  begin: (planned: Planned, held: { hold: Hold; claim: Claim | null }) => T,
): Promise<T> {
  const { request, requestId, caller } = incoming;
  const { keyHash, candidates, ceiling, run } = read;
  const model = candidates[0].model.id;
  const source = readKeySource(request);
  const fullness = findFullness(candidates, source.clientIp);
  if (fullness !== null) throw fullness;
  const isKept = incoming.startJob === null ? {} : { isKept: false };
  const asked = { keyHash, model, policies: policiesOf(candidates), ...source, ...isKept };
  const planned = await planIncoming(incoming, read, (owner) => {
    const least = { ...asked, requestId: newId('req'), need: LEAST, want: LEAST };
    return requireSpender(least, owner, request);
  });
  const { found, prompt, plan, resolved } = planned;
  const { need, want } = plan;
  // An agent may send several steps at once: each leaves as much as it takes beyond a usual step.
  const enough = prompt?.lastCharge == null ? undefined : plan.enough;
  const admission = await admitOrOverloaded(
    { ...asked, requestId, need, want, enough, ceiling, run },
    request,
  );
  caller.partnerId = admission.ok ? admission.hold.partnerId : admission.partnerId;
  if (!admission.ok)
    throw toApiError(admission, model, keyHash, findTooLong(found, admission.lack, resolved.client));

  const { hold } = admission;
  noteKeyUse(hold.keyId, hold.partnerId, source.clientIp);
  const claimed = claim === null ? null : await claim.findRefusal(hold);
  // Others that arrived at the same time may have taken the last places.
  const refusal = findDisconnectRefusal(hold) ?? claimed ?? findFullness(candidates, source.clientIp);
  if (refusal !== null) {
    await release(hold);
    throw refusal;
  }
  return begin(planned, { hold, claim });
}

/** What a job continues. Its hold is not shared with other requests. */
function toJob(
  { candidates, warnings }: ReadRequest<ClientRequest>,
  { resolved, isLarge, plan }: Planned,
  { hold, claim }: { hold: Hold; claim: Claim | null },
): AdmittedJob {
  const { client, dropped } = withinRules(resolved.client, hold.dataRules);
  const [candidate] = requireAllowed(hold, candidates);
  return {
    client,
    candidate,
    hold,
    claim,
    mostCost: plan.want,
    isLarge,
    userHash: hashForProviders(hold.appUserId),
    warnings: [...warnings, ...dropped],
  };
}

function requireAllowed({ dataRules }: Hold, candidates: Candidates): Candidates {
  const allowed = meeting(dataRules, candidates);
  invariant(allowed, 'a hold needs a candidate that meets the data rules');
  return allowed;
}

async function planIncoming(
  { request, protocol, kept }: Incoming,
  read: ReadRequest<ClientRequest>,
  admitCheaply: (owner: Owner) => Promise<void>,
): Promise<Planned> {
  const { keyHash, candidates } = read;
  const resolved = await kept.resolve({ request, keyHash, admitCheaply }, read.body);
  const { client, addedBytes } = resolved;
  const isLarge = read.isLarge || addedBytes > AT_ONCE_BYTES;
  const clientHeaders = readClientHeaders(request);
  const found = isLarge ? null : findCounted(keyHash, protocol, client, clientHeaders, candidates);
  // Hashing and measuring take up to 30 ms each.
  if (!read.isSmall) await letOthersRun();
  const measured = protocol.measure(client, found?.counted);
  const prompt = found && withMedia(found, measured.media);
  const measure = await measureDocuments(measured);
  const cached = prompt?.trustsCache ? prompt.cachedTokens : 0;
  const plan = planRequest(protocol, client, candidates, measure, cached);
  return { resolved, isLarge, clientHeaders, found, prompt, measure, plan };
}

function startAdmitted(
  { request, requestId, protocol, endResponse }: Incoming,
  { candidates, warnings, source, isSmall }: ReadRequest<ClientRequest>,
  { resolved, isLarge, clientHeaders, prompt, measure, plan }: Planned,
  { hold, claim }: { hold: Hold; claim: Claim | null },
): Run {
  const { addedBytes } = resolved;
  const { client, dropped } = withinRules(resolved.client, hold.dataRules);
  const searches = fitSearches(plan, hold);
  const changes = searches < plan.searches ? [...dropped, warnOfSearches(searches)] : dropped;
  const outputCap = fitOutputCap(plan, hold, searches);
  const { choices, prompts, hasMedia, cachedTokens } = plan;
  const asked = {
    requestId,
    candidates: requireAllowed(hold, candidates),
    model: candidates[0].model,
    warnings: changes.length > 0 ? [...warnings, ...changes] : warnings,
    client,
    source,
    clientHeaders,
    userHash: hashForProviders(hold.appUserId),
    wantsStream: protocol.wantsStream(client),
    isSmall: isSmall && addedBytes === 0,
    isLarge,
    outputCap,
    searches,
    choices,
    hasMedia,
    estimate: (served: Candidate) => {
      const units =
        protocol.likelyUnits?.(client, served.model) ??
        protocol.units?.(client, served.model, measure('openai').media);
      return estimateUsage(measure, served, { outputCap, choices, prompts, cachedTokens, units });
    },
    prompt,
  };
  const run = startRun(asked, { hold, claim, keeper: resolved.keeperOf(hold), endResponse });
  holdBody(run, request);
  if (outputCap < plan.expectedCap) run.headers['x-svc-output-cap'] = String(outputCap);
  return run;
}

/** The field of a prompt that the balance does not cover, although it exceeds the charge of the previous request. */
function findTooLong(prompt: ChainedPrompt | null, lack: Lack | null | undefined, { format }: ClientRequest) {
  const coversLast = prompt?.lastCharge != null && lack != null && lack.available > prompt.lastCharge;
  return coversLast ? PROMPT_FIELDS[format] : null;
}

const PROMPT_FIELDS = {
  chat: 'messages',
  messages: 'messages',
  responses: 'input',
  embeddings: 'input',
  moderations: 'input',
  ocr: 'document',
  rerank: 'documents',
  images: 'prompt',
  'image-edits': 'prompt',
  speech: 'input',
  videos: 'prompt',
  transcriptions: 'file',
  translations: 'file',
} as const satisfies Record<ClientRequest['format'], string>;

/** A run needs the body for another attempt, also after its client has disconnected. */
function holdBody(run: Run, request: ApiRequest): void {
  const { endLease } = run;
  const ended = new Promise<void>((resolve) => {
    run.endLease = () => {
      endLease();
      resolve();
    };
  });
  holdBodyUntil(request, ended);
}

/** Why there is no place for another request: in this process, at its providers or for its network. */
function findFullness(candidates: Candidates, clientIp: string | null): ApiError | null {
  const isProcessFull = runningGenerations() >= settings().LIMIT_RUNNING_PER_PROCESS;
  return isProcessFull || candidates.every(isFull) ? overloaded() : findNetworkRefusal(clientIp);
}

type AdmissionInput = Parameters<typeof admit>[0];

const LEAST = 1n as Picocredits;

/** Refuses a user who cannot spend, or has too many requests running, without measuring the request. */
async function requireSpender(
  wanted: AdmissionInput,
  { userId, partnerId }: Owner,
  request: WithHeaders,
): Promise<void> {
  const isIdle = countRunning(userId) < settings().LIMIT_RUNNING_PER_USER;
  if (isIdle && (await canSpend(userId, partnerId))) return;
  const admission = await admitOrOverloaded(wanted, request);
  if (!admission.ok) throw toApiError(admission, wanted.model, wanted.keyHash);
  await release(admission.hold);
}

async function admitOrOverloaded(wanted: AdmissionInput, request: WithHeaders): ReturnType<typeof admit> {
  const span = traceOf(wanted.requestId)?.begin('admission', 'internal');
  try {
    const admission = await admitUnderAnySecret(wanted, request);
    const runKey = runKeyOf(admission.ok ? admission.hold.budgets : admission.budgets);
    if (runKey !== undefined) await shareLimitsOf(wanted.keyHash, runKey);
    return admission;
  } catch (cause) {
    span?.fail('overloaded');
    throw overloaded(cause);
  } finally {
    span?.end();
  }
}

async function admitUnderAnySecret(wanted: AdmissionInput, request: WithHeaders): ReturnType<typeof admit> {
  const admission = await admit(wanted);
  if (admission.ok || admission.refusal !== 'invalid_user_key') return admission;
  const stored = await findOtherHash(request);
  return stored === null ? admission : await admit({ ...wanted, keyHash: stored });
}

/** The few client headers that may concern a provider. */
export function readClientHeaders({ headers }: WithHeaders): ClientHeaders {
  const version = headers.get('anthropic-version');
  const beta = headers.get('anthropic-beta');
  return {
    ...(version !== null && { 'anthropic-version': version }),
    ...(beta !== null && { 'anthropic-beta': beta }),
  };
}

/** Calls a provider, meters its response and settles the hold. */
async function respondTo(run: Run, request: ApiRequest): Promise<Reply> {
  run.disconnect = () => handleDisconnect(run);
  const stopWatching = watchClient(request, run.disconnect);
  try {
    const response = await chooseResponse(run);
    stopWatching();
    addWarnings(run, response.exchange.warnings);
    if (!('whole' in response)) return await relayStream(run, response, request);
    mayNotBeCutOff(run);
    return await sendResponse(run, response);
  } catch (error) {
    stopWatching();
    await settleWithoutResponse(run);
    throw error;
  }
}

async function relayStream(run: Run, response: ProviderStream, request: ApiRequest): Promise<Reply> {
  const reply = streamResponse(run, response, request);
  // If it was cut off before it began, the client has an error in its place, and nobody else reads and settles it.
  if (run.cutOff !== null) await reply.body(NOBODY);
  return reply;
}

function addWarnings({ warnings, headers }: Run, ofExchange: readonly string[]): void {
  if (warnings.length > 0 || ofExchange.length > 0)
    Object.assign(headers, writeWarnings([...warnings, ...ofExchange]));
}
