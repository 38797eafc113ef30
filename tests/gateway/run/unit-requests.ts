import { expect } from 'vitest';
import { chargeFor, type Picocredits } from '@/server/base/credits';
import { pool } from '@/server/base/db';
import { ApiError } from '@/server/base/errors';
import { CLIENT_PROTOCOLS } from '@/server/gateway/protocols/client-protocols';
import { measureDocuments } from '@/server/gateway/protocols/measure-size';
import { type Json, NO_TOKENS } from '@/server/gateway/protocols/neutral';
import { prepareExchange } from '@/server/gateway/providers/prepare-exchange';
import { resolveCandidates } from '@/server/gateway/run/candidates';
import { planRequest } from '@/server/gateway/run/plan';
import { newPerson } from '../../harness/people';
import type { Reply, ScriptedUpstream } from '../../harness/scripted-upstream';
import { until } from '../../harness/until';

/** Checks of requests for what is not priced by text tokens alone. A kind of request more is an object more. */

type Billed = { reply: Reply; bill: bigint };

export type RequestKind = {
  format: keyof typeof CLIENT_PROTOCOLS;
  path: string;
  /** The models by the names of their providers. */
  upstreamModels: readonly string[];
  /** A random request: the dearest, or a lie. */
  write: () => Json;
  /** The most that an honest provider bills for the body that it receives, in picocredits. */
  mostBill: (sent: Json) => bigint;
  /** What the provider does with it, and bills for that. */
  answer: (sent: Json) => Billed;
  /** The body as it is sent; by default JSON. */
  encode?: (body: Json) => FormData;
};

/** Plans random requests. The hold covers the bill of each, or the request is refused with a reason. */
export async function checkHolds(kind: RequestKind, cases: number): Promise<void> {
  let held = 0;
  for (let n = 0; n < cases; n++) {
    const body = kind.write();
    const planned = await planAndPrepare(kind, body);
    if (planned === null) continue;
    held++;
    const bill = kind.mostBill(planned.sent);
    if (planned.want < bill)
      throw new Error(
        `A hold of ${planned.want} does not cover a bill of ${bill}: ${JSON.stringify(body).slice(0, 3_000)}`,
      );
  }
  expect(held).toBeGreaterThan(cases / 4);
}

async function planAndPrepare(
  { format }: RequestKind,
  body: Json,
): Promise<{ want: bigint; sent: Json } | null> {
  const protocol = CLIENT_PROTOCOLS[format];
  const candidates = resolveCandidates(String(body.model));
  if (candidates === null) throw new Error(`${body.model} is not served`);
  const [{ model, profile }] = candidates;
  try {
    const client = protocol.validate(body);
    const plan = planRequest(protocol, client, candidates, await measureDocuments(protocol.measure(client)));
    const { body: sent } = prepareExchange({
      client,
      provider: profile,
      upstreamModel: model.upstreamModel,
      requestedModel: model.id,
      outputCap: plan.outputCap,
      inputUnit: model.prices.inputUnit?.kind,
      clientHeaders: {},
      newId: () => 'id',
      created: 1,
      estimate: () => NO_TOKENS,
    });
    return { want: plan.want, sent: sent as Json };
  } catch (error) {
    if (error instanceof ApiError && error.status === 400 && error.message !== '') return null;
    throw error;
  }
}

/** Sends random requests. Every bill is a charge within its hold, or a recorded loss, and no response is a failure of ours. */
export async function checkBills(
  { url, upstream }: { url: string; upstream: ScriptedUpstream },
  kind: RequestKind,
  count: number,
): Promise<void> {
  const person = await newPerson({ credits: 50_000_000, rateBp: 2_500 });
  let billed = 0n;
  let calls = 0;
  for (const name of kind.upstreamModels)
    upstream.script(name, (sent) => {
      calls++;
      const { reply, bill } = kind.answer(sent);
      billed += bill;
      return reply;
    });
  for (let n = 0; n < count; n++) {
    const authorization = `Bearer ${person.userKey}`;
    const response = await fetch(url + kind.path, { method: 'POST', ...encode(kind, authorization) });
    // Speech that broke off ends its connection.
    const text = await response.text().catch(() => '');
    expect([200, 400, 502, 503, 429], text).toContain(response.status);
  }
  await until(
    () => countHolds(person.userId),
    (holds) => holds === 0,
  );
  const { cost, wrong, lost } = await readBooked(person.userId);
  expect(calls).toBeGreaterThan(count / 5);
  expect(wrong).toBe(0);
  // Each charge is rounded up, and so is each loss.
  const { charge: due } = chargeFor(billed as Picocredits, 0);
  expect(cost + lost).toBeGreaterThanOrEqual(due);
}

function encode({ write, encode: toForm }: RequestKind, authorization: string): RequestInit {
  if (toForm) return { headers: { authorization }, body: toForm(write()) };
  const headers = { authorization, 'content-type': 'application/json' };
  return { headers, body: JSON.stringify(write()) };
}

async function readBooked(userId: string): Promise<{ cost: bigint; wrong: number; lost: bigint }> {
  const { rows } = await pool().query<{ cost: bigint; wrong: number; lost: bigint }>(
    `SELECT coalesce(sum(provider_cost), 0)::bigint AS cost, count(*) FILTER (WHERE charge > held)::int AS wrong,
       (SELECT coalesce(sum(cost), 0)::bigint FROM provider_loss WHERE user_id = $1) AS lost
     FROM usage WHERE user_id = $1`,
    [userId],
  );
  return rows[0] ?? { cost: 0n, wrong: 0, lost: 0n };
}

async function countHolds(userId: string): Promise<number> {
  const { rows } = await pool().query<{ count: number }>(
    'SELECT count(*)::int AS count FROM hold WHERE user_id = $1 AND NOT kept',
    [userId],
  );
  return rows[0]?.count ?? 0;
}
