import type { Picocredits } from '../credits';
import { settings } from '../env';
import type { Hold } from '../ledger';
import type { CatalogModel } from '../pricing/catalog';
import { affordableOutputTokens, type CacheMark, worstInputCost, worstOutputPrice } from '../pricing/cost';
import { largestMediaTokens } from '../pricing/media-tokens';
import type { ClientProtocol, ClientRequest } from '../protocols/client-protocol';
import { likelyInputTokens, type Measure } from './likely-usage';

/** What a request can cost at most, exact and before commission, with the dearest of its candidates. */
export type Plan = {
  /** The input and one token: the least that makes sense. */
  need: Picocredits;
  /** The input and the whole output limit. */
  want: Picocredits;
  inputCost: Picocredits;
  outputPrice: Picocredits;
  /** Output tokens per answer that the client reckons with: what it asked for, if it did. */
  expectedCap: number;
  /** Output tokens per answer that the candidates can give. */
  outputCap: number;
  /** Answers asked for (`n`): each may use the whole cap. */
  answers: number;
};

export function planRequest<Request extends ClientRequest>(
  protocol: ClientProtocol<Request>,
  request: Request,
  candidates: CatalogModel[],
): Plan {
  // The count of the dearer kind of tokenizer: the hold must suffice for either.
  const { largestInputTokens, media } = protocol.measure(request, 'anthropic');
  const mark = readCacheMark(request);
  const inputTokens = (model: CatalogModel) => largestInputTokens + largestMediaTokens(media, model);
  const inputCost = highest(
    candidates.map((model) => worstInputCost(inputTokens(model), model.prices, mark)),
  );
  const outputPrice = highest(candidates.map((model) => worstOutputPrice(inputTokens(model), model.prices)));
  const asked = protocol.requestedOutputTokens(request);
  const most = Math.min(
    asked ?? settings().DEFAULT_OUTPUT_TOKENS,
    ...candidates.map((model) => model.maxOutputTokens),
  );
  const isCrowded = (model: CatalogModel) => inputTokens(model) + most > model.contextWindow;
  const room = (model: CatalogModel) => outputRoom((kind) => protocol.measure(request, kind), model);
  const outputCap = most === asked ? most : Math.min(most, ...candidates.filter(isCrowded).map(room));
  const answers = protocol.answers(request);
  return {
    need: (inputCost + BigInt(answers) * outputPrice) as Picocredits,
    want: (inputCost + BigInt(answers * outputCap) * outputPrice) as Picocredits,
    inputCost,
    outputPrice,
    expectedCap: asked ?? outputCap,
    outputCap,
    answers,
  };
}

/** No estimate leaves less for the answer. */
const LEAST_ROOM = 256;

/**
 * What the prompt likely leaves of the context. Providers refuse a limit that does not fit beside the
 * prompt: the one that we choose must.
 */
function outputRoom(measure: Measure, model: CatalogModel): number {
  return Math.max(LEAST_ROOM, model.contextWindow - Math.ceil(1.1 * likelyInputTokens(measure, model)));
}

/** The output cap that the hold pays for: the planned one, or a lower one that fits the balance. */
export function fitOutputCap(plan: Plan, hold: Hold): number {
  const affordable = affordableOutputTokens(hold, plan.inputCost, plan.outputPrice);
  return Math.max(1, Math.min(plan.outputCap, Math.floor(affordable / plan.answers)));
}

/** The names under which a request marks what is to be cached. */
const MARKS = new Set(['cache_control', 'prompt_cache_breakpoint']);
/** A chat request may ask for half a day: the longest that there is then. */
const LONG_LIVES = new Set<unknown>(['1h', '12h']);

/** How long the request wants its prompt cached, wherever in it that is said. */
function readCacheMark({ body }: ClientRequest): CacheMark {
  let mark: CacheMark = 'none';
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (MARKS.has(name) && inner !== null) {
        mark = mark === '1h' || LONG_LIVES.has((inner as { ttl?: unknown }).ttl) ? '1h' : '5m';
      }
      look(inner);
    }
  };
  look(body);
  return mark;
}

const highest = (costs: Picocredits[]): Picocredits =>
  costs.reduce((most, cost) => (cost > most ? cost : most));
