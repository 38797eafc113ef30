import { z } from 'zod';
import type { ApiRequest } from '../../base/http/api-request';
import { log } from '../../base/log';
import { requireUserKey } from '../../people/access/authenticate';
import { measureDocuments } from '../protocols/measure-size';
import { measureMessages } from '../protocols/messages/measure';
import { validateCountTokens } from '../protocols/messages/protocol';
import type { CountTokensRequest } from '../protocols/messages/schema';
import { responsesProtocol } from '../protocols/responses/protocol';
import { FORMATS } from '../providers/formats';
import { Abort } from './abort';
import type { Candidate } from './candidates';
import { resolveReferences } from './kept-responses';
import { findLimitRefusal } from './key-limit';
import { likelyInputTokens } from './likely-usage';
import { requireModelAccess } from './model-access';
import { type ReadRequest, readModelRequest } from './read-request';
import { callProvider, writeBody } from './upstream';

export const tokenCountSchema = z.object({ input_tokens: z.int() });

const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 64 * 1024;

export const inputTokenCountSchema = z.object({
  object: z.literal('response.input_tokens'),
  input_tokens: z.int(),
});

/** Estimates the tokens of a request in the responses format, references included. No charge. */
export async function countInputTokens(request: ApiRequest): Promise<z.output<typeof inputTokenCountSchema>> {
  const read = await readModelRequest(request, responsesProtocol);
  const { keyHash } = read;
  const requested = await requireCountable(request, read);
  const { client } = await resolveReferences({ request, keyHash, admitCheaply: async () => {} }, read.body);
  const measure = await measureDocuments(responsesProtocol.measure(client));
  return { object: 'response.input_tokens', input_tokens: likelyInputTokens(measure, requested) };
}

/** Counts the tokens of a prompt: at a provider that counts for free, otherwise by an estimate. No charge. */
export async function countTokens(request: ApiRequest): Promise<z.output<typeof tokenCountSchema>> {
  const read = await readModelRequest(request, { modelType: 'language', validate: validateCountTokens });
  const { body } = read;
  const requested = await requireCountable(request, read);
  return {
    input_tokens: (await countAtProvider(requested, read, request)) ?? (await estimate(requested, body)),
  };
}

/** The model that a request would be sent to, which the key may use and within its rate limit. */
async function requireCountable(
  request: ApiRequest,
  { keyHash, waitMs, candidates }: Pick<ReadRequest<unknown>, 'keyHash' | 'waitMs' | 'candidates'>,
): Promise<Candidate> {
  if (waitMs > 0) throw await findLimitRefusal(request, keyHash, waitMs, candidates);
  const { allowed } = await requireModelAccess(await requireUserKey(request), candidates);
  return allowed[0];
}

async function countAtProvider(
  { model, target, profile }: Candidate,
  { body, source, isLarge }: Pick<ReadRequest<CountTokensRequest>, 'body' | 'source' | 'isLarge'>,
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
  const abort = new Abort();
  const timer = setTimeout(() => abort.abort(), TIMEOUT_MS);
  try {
    const upstream = await callProvider(target, count, await writeBody(count, { source, isLarge }), abort);
    const text = await upstream.text(MAX_RESPONSE_BYTES);
    return upstream.statusCode === 200 ? count.readCount(text) : null;
  } catch {
    log().warn({ provider: model.provider }, 'the provider did not count tokens');
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/** Rounded up: a client that underestimates its prompt would exceed the context window. */
async function estimate(candidate: Candidate, body: CountTokensRequest): Promise<number> {
  return likelyInputTokens(await measureDocuments(measureMessages(body)), candidate);
}
