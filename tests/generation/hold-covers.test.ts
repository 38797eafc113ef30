import { expect, test } from 'vitest';
import { ApiError } from '@/server/errors';
import { resolveCandidates } from '@/server/generation/candidates';
import { planRequest } from '@/server/generation/plan';
import type { ClientProtocol } from '@/server/protocols/client-protocol';
import { CLIENT_PROTOCOLS, type ClientRequest } from '@/server/protocols/client-protocols';
import { writeExactly } from '@/server/protocols/exact-numbers';
import { measureDocuments } from '@/server/protocols/measure-size';
import type { Json } from '@/server/protocols/neutral';
import { NO_TOKENS } from '@/server/protocols/neutral';
import { prepareExchange } from '@/server/providers/prepare-exchange';
import { countInput, priceOf, type Vendor } from '../harness/honest/bill';
import { configureVendors } from '../harness/honest/upstream';
import { seededRandom } from '../harness/random';
import { type ApiRequest, Generator } from './random-requests';

/** The hold of any request covers what an honest provider bills for the body that it would receive. */

configureVendors('http://127.0.0.1:9');

/** More with CASES=10000. */
const CASES = Number(process.env.CASES ?? 3_000);
const LONGEST_TEXT = 240;

test('the hold covers the bill of random requests', { timeout: 120_000 }, async () => {
  const generator = new Generator(seededRandom(), LONGEST_TEXT);
  const outcomes = { held: 0, refused: 0 };
  for (let n = 0; n < CASES; n++) {
    const request = generator.request();
    outcomes[await check(request)]++;
  }
  expect(outcomes.held).toBeGreaterThan(CASES / 4);
});

async function check({ path, body }: ApiRequest): Promise<'held' | 'refused'> {
  const format = path === '/v1/messages' ? 'messages' : 'chat';
  const protocol = CLIENT_PROTOCOLS[format] as ClientProtocol<ClientRequest>;
  const candidates = resolveCandidates(String(body.model));
  if (candidates === null) throw new Error(`${body.model} is not served`);
  const [{ model, profile }] = candidates;
  let sent: Json;
  let plan: ReturnType<typeof planRequest>;
  try {
    const client = protocol.validate(body);
    plan = planRequest(protocol, client, candidates, await measureDocuments(protocol.measure(client)));
    const exchange = prepareExchange({
      client,
      provider: profile,
      upstreamModel: model.upstreamModel,
      requestedModel: model.id,
      outputCap: plan.outputCap,
      reasoning: model.capabilities.reasoning,
      clientHeaders: {},
      newId: () => 'id',
      created: 1,
      estimate: () => NO_TOKENS,
    });
    sent = JSON.parse(writeExactly(exchange.body)) as Json;
  } catch (error) {
    if (error instanceof ApiError && [400, 413].includes(error.status) && error.message !== '')
      return 'refused';
    throw error;
  }
  const { tokens, fees } = countInput(model.provider as Vendor, model.upstreamModel, sent);
  // The provider refuses a longer prompt, and bills nothing.
  const input = Math.min(tokens, model.contextWindow);
  const bill =
    priceOf(model.id, { ...worstSplit(sent, input), output: plan.choices * plan.outputCap }) + fees;
  if (plan.want < bill)
    throw new Error(
      `A hold of ${plan.want} does not cover a bill of ${bill} (${input} tokens): ${shorten(JSON.stringify(body))}`,
    );
  return 'held';
}

/** The dearest class that the provider may bill the prompt as. */
function worstSplit(sent: Json, input: number) {
  const none = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
  const text = JSON.stringify(sent);
  if (!text.includes('"cache_control"')) return { ...none, input };
  return text.includes('"ttl":"1h"') ? { ...none, cacheWrite1h: input } : { ...none, cacheWrite5m: input };
}

const shorten = (text: string): string => (text.length > 3_000 ? `${text.slice(0, 3_000)}…` : text);
