import { chargeFor, type Picocredits } from '@/server/base/credits';
import { pool } from '@/server/base/db';
import { returnIdleHolds } from '@/server/ledger/kept-holds';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { type Bill, type HonestUpstream, startHonestUpstream } from '../../harness/honest/upstream';
import { newPerson } from '../../harness/people';
import { until } from '../../harness/until';
import type { ApiRequest } from './random-requests';

/** The API in front of providers that bill honestly, and one user, who can pay for everything by default. */

const RATE_BP = 2_500;

export type Outcome = {
  status: number;
  /** The error of a refusal. */
  error: { message: string; param?: string | null } | null;
  /** What the providers billed for the request, in picocredits. */
  billed: bigint;
  bills: Bill[];
  receipt: { held: bigint; charge: bigint; providerCost: bigint; estimated: boolean } | null;
};

/** When the client closes its connection, or what happens to a request that its provider works on. */
export type Leaving = 'once the provider works' | 'once output arrived' | (() => void | Promise<void>);

export type Sent = Omit<ApiRequest, 'path'> & { path: string; headers?: Record<string, string> };

export type HonestWorld = {
  upstream: HonestUpstream;
  /** Sends a request and reads the response, or leaves, or ends the request in another way. */
  send: (request: Sent, leaving?: Leaving) => Promise<Outcome>;
  /** The likely price of a request, in microcredits. */
  quote: (request: Sent) => Promise<number>;
};

/** Call at the top of a test file, before anything reads the settings. */
export async function openHonestWorld({ credits = 10_000_000 } = {}): Promise<HonestWorld> {
  await newDatabase();
  const upstream = await startHonestUpstream();
  const api = await startApi();
  const { userKey } = await newPerson({ credits, rateBp: RATE_BP });
  const known = new Set<string>();

  async function send(request: Sent, leaving?: Leaving): Promise<Outcome> {
    const first = upstream.bills.length;
    const controller = new AbortController();
    const sent = fetch(api.url + request.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${userKey}`, ...request.headers },
      body: JSON.stringify(request.body),
      signal: controller.signal,
    });
    const isWorking = async () => upstream.bills.length > first;
    const answer =
      leaving === undefined
        ? await read(sent)
        : typeof leaving === 'function'
          ? await endDuring(sent, leaving, () => upstream.bills.slice(first))
          : await leave(sent, leaving, isWorking);
    if (typeof leaving === 'string' && answer.status === 0) {
      controller.abort();
      // A later request was answered, so the server has noticed the disconnect.
      await (await fetch(`${api.url}/v1/models`)).text();
      upstream.proceed();
    }
    await until(openHolds, (holds) => holds === 0n);
    const bills = upstream.bills.slice(first);
    const billed = bills.reduce((sum, { exact }) => sum + exact, 0n);
    return { ...answer, billed, bills, receipt: await readReceipt(known) };
  }

  /** The provider works, and its response waits until `end` has happened. A stream has shown its visible output. */
  async function endDuring(
    sent: Promise<Response>,
    end: () => void | Promise<void>,
    billsSoFar: () => Bill[],
  ): Promise<Answer> {
    let text = '';
    const answer = read(sent, (more) => {
      text += more;
    });
    const isShown = ({ body, words }: Bill) => body.stream !== true || text.split(' word').length > words;
    const works = until(
      async () => billsSoFar().some(isShown),
      (isSo) => isSo,
    ).then(() => null);
    works.catch(() => {});
    if ((await Promise.race([answer, works])) !== null) return answer;
    await end();
    // A further call, to a fallback, does not wait.
    upstream.behave({});
    upstream.proceed();
    return answer;
  }

  async function quote({ path, body }: Sent): Promise<number> {
    const response = await fetch(`${api.url}/v1/credits/quote`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${userKey}` },
      body: JSON.stringify({ endpoint: path, request: body }),
    });
    return (await response.json()).likely * 1e6;
  }

  return { upstream, send, quote };
}

type Answer = Pick<Outcome, 'status' | 'error'>;

async function read(sent: Promise<Response>, onText = (_: string) => {}): Promise<Answer> {
  const response = await sent;
  let text = '';
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    onText(part);
  }
  return { status: response.status, error: response.ok ? null : JSON.parse(text).error };
}

/** Status 0 when the client may leave now; a refusal is read. */
async function leave(
  sent: Promise<Response>,
  leaving: Extract<Leaving, string>,
  isWorking: () => Promise<boolean>,
): Promise<Answer> {
  const left = { status: 0, error: null };
  if (leaving === 'once the provider works') {
    const refused = read(sent).catch(() => left);
    return Promise.race([refused, until(isWorking, (works) => works).then(() => left)]);
  }
  const response = await sent;
  if (!response.ok) return read(sent);
  const reader = response.body?.getReader();
  for (let text = ''; !text.includes('word'); )
    text += new TextDecoder().decode((await reader?.read())?.value);
  return left;
}

/** The charge for a bill: the bill and the commission, rounded up once. */
export const chargeOf = (billed: bigint): bigint => chargeFor(billed as Picocredits, RATE_BP).charge;

async function openHolds(): Promise<bigint> {
  // One that is kept would stay for half a second.
  await returnIdleHolds();
  const { rows } = await pool().query<{ count: bigint }>('SELECT count(*) FROM hold');
  return rows[0]?.count ?? 0n;
}

/** The receipt of the newest request, if it has one. */
async function readReceipt(known: Set<string>): Promise<Outcome['receipt']> {
  const { rows } = await pool().query<NonNullable<Outcome['receipt']> & { request_id: string }>(
    `SELECT request_id, held, charge, provider_cost AS "providerCost", estimated
     FROM usage ORDER BY created_at DESC LIMIT 1`,
  );
  const [row] = rows;
  if (row === undefined || known.has(row.request_id)) return null;
  known.add(row.request_id);
  return row;
}

/** What all requests so far cost beyond their holds. */
export async function overrunLoss(): Promise<bigint> {
  const { rows } = await pool().query<{ loss: bigint }>(
    "SELECT coalesce(sum(amount), 0)::bigint AS loss FROM ledger_entry WHERE account = 'overrun_loss'",
  );
  return rows[0]?.loss ?? 0n;
}
