import { expect, test } from 'vitest';
import { pool } from '@/server/base/db';
import { ApiError } from '@/server/base/errors';
import { findCatalogModel } from '@/server/gateway/pricing/catalog';
import type { Json } from '@/server/gateway/protocols/neutral';
import { type BatchEndpoint, type PlannedLines, planLines } from '@/server/gateway/run/batches/plan-lines';
import { checkLedger } from '@/server/ledger';
import { countInput, priceOf, type Vendor } from '../../harness/honest/bill';
import { newPerson } from '../../harness/people';
import { seededRandom } from '../../harness/random';
import { Generator } from '../run/random-requests';
import { answer, send } from '../videos/video-world';
import { chatLine, chatResult, lookNow, startBatchWorld, toLines } from './batch-world';

/**
 * The dearest and the most lying batches, at providers that bill half of what they publish: the hold covers the bill, and
 * every bill is a charge or a recorded loss.
 */

process.env.LIMIT_OVERRUN_CREDITS_PER_USER_PER_DAY = '1000000000';
process.env.LIMIT_OVERRUN_CREDITS_PER_APP_PER_DAY = '1000000000';
process.env.LIMIT_REQUESTS_PER_KEY_PER_MINUTE = '0';
const { provider, start } = await startBatchWorld();
const random = seededRandom();
/** More with CASES=10000. */
const CASES = Number(process.env.CASES ?? 2_000);
const SENT = Number(process.env.SENT ?? 60);

const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;

const FORMAT: Record<string, 'openai' | 'anthropic'> = { openai: 'openai', anthropic: 'anthropic' };
const NO_TOKENS = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };

/** Null if the line is refused, with a reason. */
async function plan(endpoint: string, bodies: readonly Json[]): Promise<PlannedLines | null> {
  const [vendor = ''] = String(bodies[0]?.model).split('/');
  const lines = bodies.map((body, n) => ({
    place: `line ${n + 1}`,
    bodyName: 'body',
    customId: `id-${n}`,
    body,
  }));
  try {
    return await planLines(lines, {
      format: FORMAT[vendor] ?? 'openai',
      endpoint: endpoint as BatchEndpoint,
      userHash: 'u',
      clientHeaders: {},
    });
  } catch (error) {
    if (error instanceof ApiError && error.status < 500 && error.message.startsWith('line ')) return null;
    throw error;
  }
}

/** Half of the list price of what the provider received, and of the most that it lets the model write. */
function halfBill(planned: PlannedLines, index: number): bigint {
  const { model } = planned.candidate;
  const id = model.id.replace(/:batch$/, '');
  const text = (planned.written[index]?.toString() ?? '').replace(/^,/, '');
  const sent = JSON.parse(text) as Json;
  const body = (sent.body ?? sent.params) as Json;
  const { tokens, fees } = countInput(model.provider as Vendor, model.upstreamModel, body);
  const limit = Number(body.max_completion_tokens ?? body.max_tokens ?? body.max_output_tokens);
  const context = findCatalogModel(id)?.contextWindow ?? 0;
  const written = JSON.stringify(body);
  const kind = !written.includes('"cache_control"')
    ? 'input'
    : written.includes('"ttl":"1h"')
      ? 'cacheWrite1h'
      : 'cacheWrite5m';
  const usage = { ...NO_TOKENS, [kind]: Math.min(context, tokens), output: Number(body.n ?? 1) * limit };
  return priceOf(id, usage) / 2n + fees;
}

test('the hold covers the bill of random lines', { timeout: 120_000 + 40 * CASES }, async () => {
  const generator = new Generator(random, 240);
  let held = 0;
  for (let n = 0; n < CASES; n++) {
    const { path, body } = generator.request();
    const planned = await plan(path, [body]);
    if (planned === null) continue;
    held++;
    const bill = halfBill(planned, 0);
    if (planned.mostCost < bill)
      throw new Error(
        `A hold of ${planned.mostCost} does not cover ${bill}: ${JSON.stringify(body).slice(0, 2_000)}`,
      );
  }
  expect(held).toBeGreaterThan(CASES / 30);
});

test('the bound of a batch is the sum of those of its lines', async () => {
  const body = (content: string) => ({
    model: 'openai/gpt-5-mini',
    max_completion_tokens: 100,
    messages: [{ role: 'user', content }],
  });
  const bodies = ['one', 'two '.repeat(500), '🦑'.repeat(40)].map(body);
  const alone = await Promise.all(bodies.map((one) => plan('/v1/chat/completions', [one])));
  const together = await plan('/v1/chat/completions', bodies);
  expect(together?.mostCost).toBe(alone.reduce((sum, one) => sum + (one?.mostCost ?? 0n), 0n));
});

const LINES = ['a', 'b', 'c', 'd'].map(chatLine);

/** What a provider says of a line, and bills for it. */
type Told = { results: unknown[]; errors: unknown[]; billed: bigint; isUnseen?: boolean };

/** $0.20 and $0.80 per million tokens, in microcredits. */
const costOf = (input: number, output: number) => BigInt(input * 20 + output * 80);

function tell(index: number): Told {
  const [input, output] = [pick([1, 9, 12]), pick([1, 50, 100])];
  const served = chatResult(String(index), input, output);
  const billed = costOf(input, output);
  const junk = [
    pick([
      'junk',
      {},
      { custom_id: null },
      chatResult('99', input, output),
      chatResult('-1', input, output),
      chatResult('constructor', input, output),
    ]),
  ];
  switch (
    pick(['served', 'served', 'twice', 'with junk', 'failed', 'unsent', 'never', 'dear', 'unseen'] as const)
  ) {
    case 'served':
      return { results: [served], errors: [], billed };
    case 'twice':
      return {
        results: [served, chatResult(String(index), input, 99)],
        errors: [served],
        billed,
      };
    case 'with junk':
      return { results: [...junk, served, ...junk], errors: junk, billed };
    case 'failed':
      return {
        results: [],
        errors: [{ custom_id: String(index), response: { status_code: 400, body: { error: {} } } }],
        billed: 0n,
      };
    case 'unsent':
      return {
        results: [],
        errors: [{ custom_id: String(index), response: null, error: { code: 'batch_expired' } }],
        billed: 0n,
      };
    case 'never':
      return { results: [], errors: [], billed: 0n };
    case 'dear': {
      const much = 50_000;
      return {
        results: [chatResult(String(index), much, much)],
        errors: [],
        billed: costOf(much, much),
      };
    }
    case 'unseen':
      return { results: [], errors: [], billed: 0n, isUnseen: true };
  }
}

test('every bill is charged or recorded as lost', { timeout: 120_000 + 2_000 * SENT }, async () => {
  const person = await newPerson({ credits: 50_000_000, rateBp: 2_500 });
  let billed = 0n;
  let unseen = 0;
  for (let n = 0; n < SENT; n++) {
    expect((await start(person, LINES)).status).toBe(200);
    const told = LINES.map((_, index) => tell(index));
    const results = told.flatMap((one) => one.results);
    const errors = told.flatMap((one) => one.errors);
    const hidden = told.filter(({ isUnseen }) => isUnseen).length;
    const state = pick(['completed', 'completed', 'expired', 'cancelled', 'failed'] as const);
    const served = told.filter((one) => one.billed > 0n).length;
    const completed = hidden > 0 ? served + hidden : pick([0, served]);
    provider.onRead = answer({
      id: 'batch-1',
      status: state,
      output_file_id: results.length > 0 ? 'out' : null,
      error_file_id: errors.length > 0 ? 'err' : null,
      request_counts: { completed, failed: 0, total: 4 },
    });
    provider.onResults = (response, request) =>
      send(response, toLines(request.url?.includes('/out/') ? results : errors));
    await lookNow();
    if (state === 'failed') {
      if (completed > 0) unseen++;
      continue;
    }
    billed += told.reduce((sum, one) => sum + one.billed, 0n);
    if (hidden > 0) unseen++;
  }
  const { rows } = await pool().query<Record<'cost', bigint> & Record<'wrong' | 'holds' | 'losses', number>>(
    `SELECT (SELECT coalesce(sum(provider_cost), 0)::bigint FROM usage WHERE user_id = $1) AS cost,
       (SELECT count(*)::int FROM usage WHERE user_id = $1 AND charge > held) AS wrong,
       (SELECT count(*)::int FROM hold WHERE user_id = $1) AS holds,
       (SELECT count(*)::int FROM provider_loss WHERE user_id = $1 AND reason = 'failed_response') AS losses`,
    [person.userId],
  );
  const { cost, wrong, holds, losses } = rows[0] ?? {};
  expect([wrong, holds]).toEqual([0, 0]);
  // The cost on a receipt includes what exceeds its hold, which is booked as an overrun.
  expect(cost).toBe(billed);
  expect(losses).toBe(unseen);
  expect((await checkLedger()).differences).toEqual([]);
});
