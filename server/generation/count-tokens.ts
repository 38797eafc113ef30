import { z } from 'zod';
import type { ApiRequest } from '../http/api-request';
import { requireUserKey } from '../http/authenticate';
import { log } from '../log';
import { isModelAllowed } from '../partners/model-access';
import { measureDocuments } from '../protocols/measure-size';
import { measureMessages } from '../protocols/messages/measure';
import { validateCountTokens } from '../protocols/messages/protocol';
import type { CountTokensRequest } from '../protocols/messages/schema';
import { FORMATS } from '../providers/formats';
import type { Candidate } from './candidates';
import { findLimitRefusal } from './key-limit';
import { likelyInputTokens } from './likely-usage';
import { type ReadRequest, readModelRequest } from './read-request';
import { modelNotAllowed } from './refusals';
import { callProvider, writeBody } from './upstream';

export const tokenCountSchema = z.object({ input_tokens: z.int() });

const TIMEOUT_MS = 10_000;

/** Counts the tokens of a prompt: at a provider that counts for free, otherwise by an estimate. No charge. */
export async function countTokens(request: ApiRequest): Promise<z.output<typeof tokenCountSchema>> {
  const { keyHash, waitMs, candidates, body, isLarge } = await readModelRequest(request, {
    modelType: 'language',
    validate: validateCountTokens,
  });
  const [requested] = candidates;
  const { id } = requested.model;
  if (waitMs > 0) throw await findLimitRefusal(request, keyHash, waitMs, id);
  const { partnerId } = await requireUserKey(request);
  if (!(await isModelAllowed(partnerId, id))) throw modelNotAllowed(id);
  return {
    input_tokens:
      (await countAtProvider(requested, { body, isLarge }, request)) ?? (await estimate(requested, body)),
  };
}

async function countAtProvider(
  { model, target, profile }: Candidate,
  { body, isLarge }: Pick<ReadRequest<CountTokensRequest>, 'body' | 'isLarge'>,
  request: ApiRequest,
): Promise<number | null> {
  const { prepareTokenCount } = FORMATS[profile.format];
  if (prepareTokenCount === null) return null;
  const version = request.headers.get('anthropic-version') ?? undefined;
  const count = prepareTokenCount(body, {
    provider: profile,
    upstreamModel: model.upstreamModel,
    clientHeaders: { 'anthropic-version': version },
  });
  try {
    const upstream = await callProvider(
      target,
      count,
      await writeBody(count.body, isLarge),
      AbortSignal.timeout(TIMEOUT_MS),
    );
    const text = await upstream.body.text();
    return upstream.statusCode === 200 ? count.readCount(text) : null;
  } catch {
    log().warn({ provider: model.provider }, 'the provider did not count tokens');
    return null;
  }
}

/** Rounded up: a client that underestimates its prompt would exceed the context window. */
async function estimate(candidate: Candidate, body: CountTokensRequest): Promise<number> {
  return likelyInputTokens(await measureDocuments(measureMessages(body)), candidate);
}
