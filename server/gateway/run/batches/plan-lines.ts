import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { Picocredits } from '../../../base/credits';
import { ApiError } from '../../../base/errors';
import { randomBase62 } from '../../../base/ids';
import { batchIdOf, ordinaryIdOf } from '../../pricing/batch-models';
import { findCatalogModel } from '../../pricing/catalog';
import { findUnprefixedModel } from '../../pricing/served';
import { countNames } from '../../protocols/body-source';
import { CLIENT_PROTOCOLS, type ClientRequest } from '../../protocols/client-protocols';
import { measureDocuments } from '../../protocols/measure-size';
import { type Json, NO_TOKENS } from '../../protocols/neutral';
import { newSharedWork, type Work } from '../../protocols/pdf-work';
import { isObject, refuse } from '../../protocols/read-fields';
import { type BatchFormat, writeBatchLine } from '../../providers/batches';
import type { ClientHeaders } from '../../providers/exchange';
import { prepareExchange } from '../../providers/prepare-exchange';
import { type Candidate, findCandidate } from '../candidates';
import { planRequest } from '../plan';
import { modelNotFound } from '../refusals';
import type { Line } from './job-store';

/** Bounds the cost of each line before anything is held, and writes the lines for their provider. */

export const MAX_LINES = 10_000;

export const FORMAT_OF_ENDPOINT = {
  '/v1/chat/completions': 'chat',
  '/v1/responses': 'responses',
  '/v1/embeddings': 'embeddings',
  '/v1/messages': 'messages',
} as const satisfies Record<string, ClientRequest['format']>;
export type BatchEndpoint = keyof typeof FORMAT_OF_ENDPOINT;

/** A line as the client sent it. `place` begins its errors: `line 3`. */
export type GivenLine = { place: string; bodyName: string; customId: unknown; body: unknown };

export type LinesOptions = {
  format: BatchFormat;
  endpoint: BatchEndpoint;
  userHash: string;
  clientHeaders: ClientHeaders;
};

export type PlannedLines = {
  /** The model at the price of a batch. */
  candidate: Candidate;
  lines: Line[];
  /** Each as the provider receives it. */
  written: Buffer[];
  headers: Record<string, string>;
  warnings: string[];
  mostCost: Picocredits;
};

export async function planLines(
  given: AsyncIterable<GivenLine> | Iterable<GivenLine>,
  options: LinesOptions,
): Promise<PlannedLines> {
  const ids = new Set<string>();
  const shared: Shared = { warnings: new Set(), work: newSharedWork(), inputs: 0 };
  let planned: PlannedLines | null = null;
  for await (const line of given) {
    try {
      if (ids.size === MAX_LINES) throw refuse('custom_id', `a batch has at most ${MAX_LINES} lines`);
      const customId = readCustomId(line.customId, options.format, ids);
      planned = await addLine(planned, { customId, body: line.body }, options, shared);
    } catch (error) {
      throw error instanceof ApiError ? atLine(error, line) : error;
    }
    await letOthersRun();
  }
  if (planned === null)
    throw refuse(options.format === 'openai' ? 'input_file_id' : 'requests', 'has no lines');
  return { ...planned, warnings: [...shared.warnings] };
}

/** What the lines of a batch have in common. */
type Shared = { warnings: Set<string>; work: Work; inputs: number };

/** `line 3: body.model: …`. */
function atLine(error: ApiError, { place, bodyName }: GivenLine): ApiError {
  const { code, message, param = null } = error;
  const named = param === null || param === 'custom_id' ? param : `${bodyName}.${param}`;
  const text = named !== param && message.startsWith(`${param}: `) ? `${bodyName}.${message}` : message;
  return new ApiError(code, `${place}: ${text}`, named === null ? {} : { param: named });
}

const MAX_ID = 256;
const ANTHROPIC_ID = /^[\w-]{1,64}$/;

function readCustomId(customId: unknown, format: BatchFormat, ids: Set<string>): string {
  const isId =
    typeof customId === 'string' &&
    (format === 'anthropic' ? ANTHROPIC_ID.test(customId) : customId !== '' && customId.length <= MAX_ID);
  if (!isId)
    throw refuse(
      'custom_id',
      format === 'anthropic'
        ? 'must have 1 to 64 letters, digits or any of - _'
        : `must be a string of 1 to ${MAX_ID} characters`,
    );
  if (ids.has(customId)) throw refuse('custom_id', 'must differ from those of the other lines');
  ids.add(customId);
  return customId;
}

async function addLine(
  planned: PlannedLines | null,
  { customId, body }: { customId: string; body: unknown },
  options: LinesOptions,
  shared: Shared,
): Promise<PlannedLines> {
  if (!isObject(body)) throw refuse('body', 'must be the body of a request, a JSON object');
  countNames(body);
  const candidate = requireBatchModel(body.model, planned?.candidate ?? null, options);
  const { line, written, headers, dropped } = await planLine(candidate, { customId, body }, options, {
    index: planned?.lines.length ?? 0,
    shared,
  });
  for (const warning of dropped) if (shared.warnings.size < MAX_WARNINGS) shared.warnings.add(warning);
  const into = planned ?? {
    candidate,
    lines: [],
    written: [],
    headers,
    warnings: [],
    mostCost: 0n as Picocredits,
  };
  into.lines.push(line);
  into.written.push(written);
  into.mostCost = (into.mostCost + line.most) as Picocredits;
  return into;
}

const MAX_WARNINGS = 20;

/** A batch is one sum at one price, so all lines have one model, named as usual or as its price in a batch. */
function requireBatchModel(
  id: unknown,
  first: Candidate | null,
  { format, endpoint }: LinesOptions,
): Candidate {
  if (typeof id !== 'string' || id === '') throw refuse('model', 'is required: a model id');
  const ordinaryId = ordinaryIdOf(id);
  const ordinary = findCandidate(ordinaryId) ?? findCandidate(findUnprefixedModel(ordinaryId)?.id ?? '');
  if (ordinary === null) throw modelNotFound(id.slice(0, 200));
  const batchId = batchIdOf(ordinary.model.id);
  if (first !== null && first.model.id !== batchId)
    throw refuse('model', `must be that of the first line, ${ordinaryIdOf(first.model.id)}`);
  const batch = first ?? findCandidate(batchId);
  if (batch === null)
    throw refuse(
      'model',
      `${ordinary.model.id} has no published price in batches. Send its requests one by one`,
    );
  if (ordinary.target.format !== format)
    throw refuse(
      'model',
      `${ordinary.model.id} is served in the format of ${format === 'openai' ? 'Anthropic: use POST /v1/messages/batches' : 'OpenAI: use POST /v1/batches'}`,
    );
  if (CLIENT_PROTOCOLS[FORMAT_OF_ENDPOINT[endpoint]].modelType !== ordinary.model.type)
    throw refuse('model', `${ordinary.model.id} is not served at ${endpoint}`);
  return batch;
}

async function planLine(
  candidate: Candidate,
  { customId, body }: { customId: string; body: Json },
  { format, endpoint, userHash, clientHeaders }: LinesOptions,
  { index, shared }: { index: number; shared: Shared },
) {
  const { model, profile } = candidate;
  const protocol = CLIENT_PROTOCOLS[FORMAT_OF_ENDPOINT[endpoint]];
  const client = protocol.validate(body);
  refuseUnbatched(client, body);
  const measure = await measureDocuments(protocol.measure(client), shared.work);
  const plan = planRequest(protocol, client, [candidate], measure);
  if (client.format === 'embeddings') countInputs(plan.prompts, shared);
  const [bound] = plan.bounds;
  const inputTokens = bound?.inputTokens ?? 0;
  if (inputTokens > model.contextWindow && hasTiers(model.id))
    throw refuse(
      'model',
      `this prompt may have ${inputTokens.toLocaleString('en')} tokens. In a batch, ${ordinaryIdOf(model.id)} takes prompts of at most ${model.contextWindow.toLocaleString('en')}`,
    );
  const exchange = prepareExchange({
    client,
    provider: profile,
    upstreamModel: model.upstreamModel,
    requestedModel: ordinaryIdOf(model.id),
    outputCap: plan.outputCap,
    reasoning: model.capabilities.reasoning,
    userHash,
    clientHeaders,
    newId: () => randomBase62(24),
    created: 0,
    estimate: () => NO_TOKENS,
  });
  if (`/v1${exchange.path}` !== endpoint) throw refuse('model', `is not served at ${endpoint}`);
  const line: Line = {
    customId,
    inputTokens: Math.min(inputTokens, plan.prompts * model.contextWindow),
    outputTokens: plan.choices * plan.outputCap,
    most: plan.want,
  };
  return {
    line,
    written: writeBatchLine(format, index, endpoint, exchange.body),
    headers: exchange.headers,
    dropped: exchange.warnings,
  };
}

/** OpenAI's own limit. */
const MAX_INPUTS = 50_000;
/** Their vectors take up to 7 MB in the results, and half a second to read. With 800, no other request ran for 4 seconds. */
const MAX_INPUTS_PER_LINE = 100;

function countInputs(inputs: number, shared: Shared): void {
  if (inputs > MAX_INPUTS_PER_LINE)
    throw refuse('input', `in a batch, must have at most ${MAX_INPUTS_PER_LINE} texts`);
  shared.inputs += inputs;
  if (shared.inputs > MAX_INPUTS) throw refuse('input', `a batch has at most ${MAX_INPUTS} texts`);
}

const hasTiers = (batchId: string): boolean =>
  (findCatalogModel(ordinaryIdOf(batchId))?.prices.tiers.length ?? 0) > 0;

/** What has another price than tokens, or needs more than one response. */
function refuseUnbatched(client: ClientRequest, body: Json): void {
  const protocol = CLIENT_PROTOCOLS[client.format];
  if (protocol.wantsStream(client)) throw refuse('stream', 'is not possible in a batch');
  if (protocol.searches(client) > 0) throw refuse('tools', 'web search is not possible in a batch');
  if (body.store === true) throw refuse('store', 'responses of a batch are not stored');
  for (const field of ['previous_response_id', 'conversation', 'background'])
    if (body[field] != null && body[field] !== false) throw refuse(field, 'is not possible in a batch');
}
