import { countRefusal } from '../activity/refusal-counts';
import { settings } from '../env';
import { overloaded } from '../errors';
import type { Reply } from '../http/respond';
import { admit } from '../ledger';
import { type CatalogModel, candidatesOf } from '../pricing/catalog';
import { findServedModel } from '../pricing/served';
import type { ClientProtocol, ClientRequest } from '../protocols/client-protocol';
import type { ClientHeaders } from '../providers/headers';
import { answerStream } from './answer-stream';
import { answerWhole } from './answer-whole';
import { chooseAnswer } from './choose-answer';
import { refuseBeyondLimit } from './key-limit';
import { leaveUnanswered, settleUnanswered } from './leave';
import { likelyUsage } from './likely-usage';
import { fitOutputCap, planRequest } from './plan';
import { readModelRequest } from './read-request';
import { ofPartner, toApiError } from './refusals';
import { type Run, runningGenerations, startRun } from './run';

/** One generation request; one that is refused or fails leaves no receipt, so it is counted. */
export async function generate<Client extends ClientRequest>(
  request: Request,
  requestId: string,
  protocol: ClientProtocol<Client>,
): Promise<Reply> {
  try {
    return await admitAndAnswer(request, requestId, protocol);
  } catch (error) {
    // Who left gets no answer.
    if (!request.signal.aborted) countRefusal(error);
    throw error;
  }
}

/** Admit → call → meter → settle. */
async function admitAndAnswer<Client extends ClientRequest>(
  request: Request,
  requestId: string,
  protocol: ClientProtocol<Client>,
): Promise<Reply> {
  const { keyHash, model, body: client } = await readModelRequest(request, protocol.validate);
  const refusal = refuseBeyondLimit(request, keyHash, model.id);
  if (refusal !== undefined) throw await refusal;
  if (runningGenerations() >= settings().LIMIT_RUNNING_PER_PROCESS) throw overloaded();
  const candidates = candidatesOf(model).filter(({ id }) => findServedModel(id) !== null);
  const plan = planRequest(protocol, client, candidates);
  const { need, want } = plan;
  const admission = await admitOrOverloaded({ keyHash, requestId, model: model.id, need, want });
  if (!admission.ok) throw ofPartner(toApiError(admission.refusal, model.id), admission.partnerId);

  const { hold } = admission;
  const outputCap = fitOutputCap(plan, hold);
  const run = startRun({
    requestId,
    hold,
    model,
    client,
    clientHeaders: readClientHeaders(request),
    wantsStream: protocol.wantsStream(client),
    outputCap,
    estimate: (served) => likelyUsage((kind) => protocol.measure(client, kind), served),
  });
  if (outputCap < plan.expectedCap) run.headers['x-svc-output-cap'] = String(outputCap);
  return answer(run, candidates, request.signal);
}

async function admitOrOverloaded(request: Parameters<typeof admit>[0]): ReturnType<typeof admit> {
  try {
    return await admit(request);
  } catch (cause) {
    throw overloaded(cause);
  }
}

/** The few headers of a client that may concern a provider. */
function readClientHeaders({ headers }: Request): ClientHeaders {
  const version = headers.get('anthropic-version');
  const beta = headers.get('anthropic-beta');
  return {
    ...(version !== null && { 'anthropic-version': version }),
    ...(beta !== null && { 'anthropic-beta': beta }),
  };
}

async function answer(run: Run, candidates: CatalogModel[], clientSignal: AbortSignal): Promise<Reply> {
  const leave = () => leaveUnanswered(run);
  if (clientSignal.aborted) leave();
  clientSignal.addEventListener('abort', leave, { once: true });
  try {
    const chosen = await chooseAnswer(run, candidates);
    clientSignal.removeEventListener('abort', leave);
    writeWarnings(run, chosen.exchange.warnings);
    const reply = 'whole' in chosen ? await answerWhole(run, chosen) : answerStream(run, chosen);
    // Nobody is there to read it.
    if (clientSignal.aborted && reply.body instanceof ReadableStream) await reply.body.cancel();
    return reply;
  } catch (error) {
    await settleUnanswered(run);
    throw ofPartner(error, run.hold.partnerId);
  }
}

const MAX_WARNINGS_LENGTH = 1_000;

function writeWarnings(run: Run, warnings: string[]): void {
  if (warnings.length === 0) return;
  const printable = warnings.join('; ').replace(/[^\x20-\x7e]/g, '?');
  run.headers['x-svc-warnings'] = printable.slice(0, MAX_WARNINGS_LENGTH);
}
