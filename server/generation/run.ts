import { settings } from '../env';
import { ApiError } from '../errors';
import { admit, type Hold, keepLease, release } from '../ledger';
import type { CatalogModel } from '../pricing/catalog';
import type { ChatRequest } from '../protocols/chat/schema';
import { toClientError } from '../providers/openai/errors';
import { writeChatRequest } from '../providers/openai/read-chat-stream';
import { answerStream } from './answer-stream';
import { answerWhole } from './answer-whole';
import { chargeMetered, estimateUsage, writeReceipt } from './meter';
import { fitOutputCap, planRequest } from './plan';
import { readGenerationRequest } from './read-request';
import { toApiError } from './refusals';
import { callProvider } from './upstream';

/** A request that holds money and is being answered. */
export type Run = {
  requestId: string;
  hold: Hold;
  model: CatalogModel;
  body: ChatRequest;
  /** Headers that tell the client what was changed about its request. */
  headers: Record<string, string>;
  /** Ends the provider's work. */
  abort: AbortController;
  /** Bytes of output seen so far: what the lease is renewed with. */
  progress: { outputBytes: number };
  /** Gives the lease back; every way out of a run calls it after settlement. */
  endLease: () => void;
};

let running = 0;

/** Requests that this process is answering. */
export const runningGenerations = (): number => running;

/** One generation request: admit → call → meter → settle. */
export async function runGeneration(request: Request, requestId: string): Promise<Response> {
  const asked = await readGenerationRequest(request);
  if (running >= settings().LIMIT_RUNNING_PER_PROCESS) {
    throw new ApiError('overloaded', 'Too many requests are running. Please retry.', {
      retryAfterSeconds: 1,
    });
  }
  const plan = planRequest(asked.body, asked.model);
  const admission = await admitOrOverloaded({
    keyHash: asked.keyHash,
    requestId,
    model: asked.model.id,
    need: plan.need,
    want: plan.want,
  });
  if (!admission.ok) throw toApiError(admission.refusal, asked.model.id);

  const { hold } = admission;
  const outputCap = fitOutputCap(plan, hold, asked.model);
  const run = startRun({ ...asked, requestId, hold });
  if (outputCap < plan.outputCap) run.headers['x-svc-output-cap'] = String(outputCap);
  return answer(run, request.signal, outputCap);
}

async function admitOrOverloaded(request: Parameters<typeof admit>[0]): ReturnType<typeof admit> {
  try {
    return await admit(request);
  } catch (cause) {
    throw new ApiError('overloaded', 'The service is busy. Please retry.', { retryAfterSeconds: 1, cause });
  }
}

function startRun({ requestId, hold, model, body }: Pick<Run, 'requestId' | 'hold' | 'model' | 'body'>): Run {
  const progress = { outputBytes: 0 };
  const stopRenewing = keepLease(hold, () => {
    const metered = { usage: estimateUsage(body, progress.outputBytes), estimated: true };
    return { charge: chargeMetered(metered, model, hold), receipt: writeReceipt(metered, model, 'failed') };
  });
  running++;
  const endLease = () => {
    running--;
    stopRenewing();
  };
  return { requestId, hold, model, body, headers: {}, abort: new AbortController(), progress, endLease };
}

/** Until the provider has answered well nothing is owed: any failure frees the hold. */
async function answer(run: Run, clientSignal: AbortSignal, outputCap: number): Promise<Response> {
  const leave = () => run.abort.abort();
  clientSignal.addEventListener('abort', leave, { once: true });
  try {
    const { model, body } = run;
    const upstreamBody = writeChatRequest(body, {
      upstreamModel: model.upstreamModel,
      outputCap,
      reasoning: model.capabilities.reasoning,
    });
    const upstream = await callProvider(model, upstreamBody, run.abort.signal);
    if (upstream.statusCode !== 200) {
      const retryAfter = upstream.headers['retry-after'];
      throw toClientError(
        upstream.statusCode,
        await upstream.body.text(),
        typeof retryAfter === 'string' ? retryAfter : null,
      );
    }
    return body.stream ? await answerStream(run, upstream) : await answerWhole(run, upstream);
  } catch (error) {
    await release(run.hold);
    run.endLease();
    throw error;
  } finally {
    if (!run.body.stream) clientSignal.removeEventListener('abort', leave);
  }
}
