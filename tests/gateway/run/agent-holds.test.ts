import { expect, test } from 'vitest';
import { MINUTE_MS, now, setClock } from '@/server/base/clock';
import { checkLedger } from '@/server/ledger';
import { type Agent, agentRequest } from './agent-session';
import { chargeOf, openHonestWorld, overrunLoss } from './honest-world';
import type { ApiRequest } from './random-requests';

/** What a provider has counted and cached of a prompt makes the hold of the next step smaller. */

const { upstream, send, quote } = await openHonestWorld();

const OPUS: Agent = { model: 'anthropic/claude-opus-4-5', path: '/v1/messages', maxTokens: 2_000 };
const AGENTS: Agent[] = [
  OPUS,
  { model: 'anthropic/claude-sonnet-4-5', path: '/v1/chat/completions', maxTokens: 2_000 },
  { model: 'openai/gpt-5', path: '/v1/chat/completions', maxTokens: 2_000 },
];

type Step = { held: bigint; charge: bigint; billed: bigint; cachedTokens: number };

/** Sends a step, of whose prompt the provider has cached as many tokens. */
async function sendStep(request: ApiRequest, cached: number): Promise<Step> {
  upstream.behave({ visibleTokens: 300, cachedTokens: cached });
  const { receipt, bills, billed } = await send(request);
  const { held, charge } = receipt ?? expect.fail();
  const { cacheRead, cacheWrite5m, input } = bills[0]?.tokens ?? expect.fail();
  // OpenAI caches the whole prompt, and reports it once it is read.
  const written = cacheWrite5m > 0 ? cacheWrite5m : input;
  return { held, charge, billed: chargeOf(billed), cachedTokens: cacheRead + written };
}

/** All steps of one task up to the given one. */
async function sendSession(agent: Agent, steps: number, task?: string): Promise<Step[]> {
  const taken: Step[] = [];
  for (let step = 0; step < steps; step++)
    taken.push(await sendStep(agentRequest(agent, step, task), taken.at(-1)?.cachedTokens ?? 0));
  return taken;
}

const ratio = ({ held, charge }: Step): number => Number(held) / Number(charge);

test.each(AGENTS)('after two steps, the hold is at most three times the charge: $model', async (agent) => {
  const steps = await sendSession(agent, 6);
  for (const { charge, billed } of steps) expect(charge).toBe(billed);
  expect(ratio(steps[1] as Step)).toBeGreaterThan(1);
  for (const step of steps.slice(2)) expect(ratio(step)).toBeLessThan(3);
  expect(await overrunLoss()).toBe(0n);
});

test.each(AGENTS)('from the third step on, a quote is within 20% of the charge: $model', async (agent) => {
  let cached = 0;
  for (let number = 0; number < 6; number++) {
    const request = agentRequest(agent, number, 'quoted');
    const likely = await quote(request);
    const { charge, cachedTokens } = await sendStep(request, cached);
    cached = cachedTokens;
    if (number >= 2) expect(Math.abs(likely / Number(charge) - 1)).toBeLessThan(0.2);
  }
});

test('once the cache may have expired, the hold covers that the prompt is written again', async () => {
  const [, , third] = await sendSession(OPUS, 3, 'wait');
  const laterMs = now() + 5 * MINUTE_MS;
  setClock(() => laterMs);
  const { held, charge, billed } = await sendStep(agentRequest(OPUS, 3, 'wait'), 0);
  setClock();
  expect(charge).toBe(billed);
  expect(held).toBeGreaterThan(5n * (third?.held ?? held));
});

test('a prompt whose breakpoint does not reach what is cached is held as one that is written', async () => {
  const [, second] = await sendSession(OPUS, 2, 'unmarked');
  const request = agentRequest(OPUS, 2, 'unmarked');
  const unmarked = JSON.parse(
    JSON.stringify(request.body.messages).replaceAll(/,"cache_control":{[^}]*}/g, ''),
  );
  const { held } = await sendStep({ ...request, body: { ...request.body, messages: unmarked } }, 0);
  expect(held).toBeGreaterThan(5n * (second?.held ?? held));
});

test('a miss is a recorded overrun of ours, and withdraws the trust in the caches of the model', async () => {
  const steps = await sendSession(OPUS, 3, 'miss');
  const missed = await sendStep(agentRequest(OPUS, 3, 'miss'), 0);
  expect(missed.charge).toBe(missed.held);
  expect(missed.charge).toBeLessThan(missed.billed);
  expect(await overrunLoss()).not.toBe(0n);
  const next = await sendStep(agentRequest(OPUS, 4, 'miss'), missed.cachedTokens);
  expect(next.held).toBeGreaterThan(5n * (steps[2]?.held ?? next.held));
  const other = await sendSession(OPUS, 3, 'after the miss');
  expect(ratio(other[2] as Step)).toBeGreaterThan(5);
  expect((await checkLedger()).differences).toEqual([]);
});
