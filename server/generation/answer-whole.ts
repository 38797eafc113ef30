import type { Dispatcher } from 'undici';
import { creditsToJson } from '../credits';
import { ApiError } from '../errors';
import { capture } from '../ledger';
import { renameModel } from '../providers/openai/model-name';
import { readUsage } from '../providers/openai/usage';
import { chargeMetered, meter, writeReceipt } from './meter';
import type { Run } from './run';

type Completion = { choices?: { message?: unknown }[]; usage?: unknown; error?: unknown };

/** Relays a whole answer: byte for byte but for the model's name, settled before it goes out. */
export async function answerWhole(run: Run, upstream: Dispatcher.ResponseData): Promise<Response> {
  const text = await readAnswer(upstream);
  const completion = parseCompletion(text);
  const outputBytes = Buffer.byteLength(JSON.stringify(completion.choices));
  const metered = meter(readUsage(completion.usage), run.body, outputBytes);
  const settled = await capture(
    run.hold,
    chargeMetered(metered, run.model, run.hold),
    writeReceipt(metered, run.model, 'completed'),
  );
  run.endLease();
  return new Response(renameModel(text, run.model.id), {
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-svc-credits-charged': String(creditsToJson(settled?.captured ?? 0n)),
      ...run.headers,
    },
  });
}

async function readAnswer(upstream: Dispatcher.ResponseData): Promise<string> {
  try {
    return await upstream.body.text();
  } catch (cause) {
    throw new ApiError('upstream_error', 'The provider of this model broke off its answer', { cause });
  }
}

function parseCompletion(text: string): Completion {
  let completion: Completion | undefined;
  try {
    completion = JSON.parse(text);
  } catch {
    // told below: what is not JSON is not an answer
  }
  if (!completion?.choices?.length || completion.error) {
    throw new ApiError('upstream_error', 'The provider of this model sent no answer');
  }
  return completion;
}
