import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, now, setClock } from '@/server/base/clock';
import { pool, prisma } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { newId } from '@/server/base/ids';
import { claim, forgetIdempotentRequests } from '@/server/gateway/run/idempotent-requests';
import { cutOffWaiting } from '@/server/gateway/run/respond-once';
import { runningGenerations } from '@/server/gateway/run/run';
import { checkLedger, readSpendable, sweepHolds } from '@/server/ledger';
import { deleteAccount } from '@/server/people/delete-account';
import { revokeKey } from '@/server/people/keys/revoke';
import { startApi } from '../../harness/api-server';
import { startBillingUpstream } from '../../harness/billing-upstream';
import { newDatabase } from '../../harness/database';
import { newPerson, type Person } from '../../harness/people';
import { bundleProgram } from '../../harness/programs';
import { readReceipts } from '../../harness/receipts';
import { until } from '../../harness/until';
import { forge, RECOUNT_SPENT } from '../../ledger/forged-rows';

/** An `Idempotency-Key` on a generation request: charged once, and its response is sent again. */

await newDatabase();
const upstream = await startBillingUpstream();
for (const provider of ['OPENAI', 'ANTHROPIC']) {
  process.env[`${provider}_API_KEY`] = 'key-of-the-test';
  process.env[`${provider}_BASE_URL`] = upstream.url;
}
const api = await startApi();

const bundle = bundleProgram('tests/gateway/api/api-process.ts');
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});
const original = { ...settings() };
afterEach(() => {
  setClock();
  Object.assign(settings(), original);
});

async function startInstance(): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [bundle], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  children.push(child);
  const [url] = await once(child, 'message');
  return { url, child };
}

const GPT = 'openai/gpt-4.1';
const CLAUDE = 'anthropic/claude-opus-5-5';
const FORMATS = [
  { format: 'chat', route: '/v1/chat/completions', model: GPT },
  { format: 'messages', route: '/v1/messages', model: CLAUDE },
  { format: 'responses', route: '/v1/responses', model: CLAUDE },
] as const;
const PIECES = { first: ['The', ' answer', '###'], rest: [' is', ' forty', '-two', '.'] };
const ANSWER = { inputTokens: 25, reasoningTokens: 0, ...PIECES };
const PROMPT = 'The secret question of the test';

type Sent = {
  key?: string | null;
  url?: string;
  route?: string;
  model?: string;
  stream?: boolean;
  prompt?: string;
  signal?: AbortSignal;
};

function send(
  person: Person,
  { key = 'one', url = api.url, route = '/v1/chat/completions', ...sent }: Sent = {},
): Promise<Response> {
  const { model = GPT, stream = false, prompt = PROMPT, signal } = sent;
  const input = route.endsWith('responses')
    ? { input: prompt, max_output_tokens: 1_000 }
    : { messages: [{ role: 'user', content: prompt }], max_tokens: 1_000 };
  return fetch(url + route, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${person.userKey}`,
      'content-type': 'application/json',
      ...(key !== null && { 'idempotency-key': key }),
    },
    body: JSON.stringify({ model, stream, ...input }),
    ...(signal && { signal }),
  });
}

/** What a client sees of a response, except for what differs between any two. */
async function read(response: Response) {
  const { status, headers } = response;
  const named = (name: string) => headers.get(name);
  return {
    status,
    id: named('x-request-id'),
    type: named('content-type'),
    charged: named('x-svc-credits-charged'),
    isReplay: named('idempotent-replayed') === 'true',
    text: await response.text(),
  };
}

const readError = async (response: Response) => ({
  status: response.status,
  retry: response.headers.get('x-should-retry'),
  ...(await response.json()).error,
});

/** Sends a request whose response the provider completes at once. */
async function complete(person: Person, sent?: Sent) {
  upstream.answer(ANSWER);
  const called = upstream.nextCall();
  const response = send(person, sent);
  (await called).proceed();
  return read(await response);
}

/** Sends a stream and disconnects in the middle of it, or a whole request and disconnects while the provider works. */
async function leave(person: Person, sent: Sent) {
  upstream.answer(ANSWER);
  const controller = new AbortController();
  const called = upstream.nextCall();
  const response = send(person, { ...sent, signal: controller.signal });
  response.catch(() => {});
  const call = await called;
  if (sent.stream) await readUntilMark(await response);
  controller.abort();
  // The server reads the next connection after the end of this one.
  await fetch(`${api.url}/v1/models`).then((models) => models.text());
  return call;
}

async function readUntilMark({ body }: Response): Promise<void> {
  let text = '';
  const decoder = new TextDecoder();
  for (const reader = body?.getReader(); reader !== undefined && !text.includes('###'); ) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
  }
}

const receiptsOf = ({ userId }: Person) => readReceipts(userId);
const rowOf = ({ userId }: Person) => prisma().idempotentRequest.findFirst({ where: { userId } });
const balanceOf = async ({ userId, partnerId }: Person) => (await readSpendable(userId, partnerId)).balance;

describe.each(FORMATS)('a $format request', ({ route, model }) => {
  test.each([true, false])(
    'is replayed byte for byte and costs nothing more (stream: %s)',
    async (stream) => {
      const person = await newPerson({ credits: 100 });
      const first = await complete(person, { route, model, stream });
      const balance = await balanceOf(person);
      const calls = upstream.calls.length;
      const again = await read(await send(person, { route, model, stream }));

      expect(first).toMatchObject({ status: 200, isReplay: false });
      expect(again).toEqual({ ...first, isReplay: true });
      expect(upstream.calls.length).toBe(calls);
      expect(await balanceOf(person)).toBe(balance);
      expect(await receiptsOf(person)).toHaveLength(1);
      const receipt = await fetch(`${api.url}/v1/credits/receipts/${again.id}`, {
        headers: { authorization: `Bearer ${person.userKey}` },
      });
      expect(receipt.status).toBe(200);
    },
  );

  test.each([true, false])(
    'whose client disconnects and retries gets the whole response, charged once (stream: %s)',
    async (stream) => {
      const person = await newPerson({ credits: 100 });
      const call = await leave(person, { route, model, stream });
      const retry = send(person, { route, model, stream });
      call.proceed();
      const { status, text, isReplay } = await read(await retry);

      expect({ status, isReplay }).toEqual({ status: 200, isReplay: true });
      expect(await call.wasCancelled).toBe(false);
      const pieces = [...PIECES.first, ...PIECES.rest];
      for (const piece of stream ? pieces : [pieces.join('')]) expect(text).toContain(JSON.stringify(piece));
      expect(await receiptsOf(person)).toMatchObject([{ outputTokens: 7, estimated: false }]);
      const later = await read(await send(person, { route, model, stream }));
      expect(later).toMatchObject({ isReplay: true, text });
    },
  );
});

describe.each([true, false])('on two instances (stream: %s)', (stream) => {
  test('one of twenty requests with one key runs, and all get its bytes @attack', async () => {
    const other = await startInstance();
    const person = await newPerson({ credits: 100 });
    upstream.answer(ANSWER);
    const calls = upstream.calls.length;
    const called = upstream.nextCall();
    const sent = Array.from({ length: 20 }, (_, n) =>
      send(person, { stream, url: n % 2 === 0 ? api.url : other.url }),
    );
    (await called).proceed();
    const seen = await Promise.all((await Promise.all(sent)).map(read));
    other.child.kill('SIGKILL');

    expect(upstream.calls.length).toBe(calls + 1);
    expect(seen.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
    const [first] = seen;
    for (const one of seen) expect({ ...one, isReplay: false }).toEqual({ ...first, isReplay: false });
    expect(await receiptsOf(person)).toHaveLength(1);
    expect((await checkLedger()).differences).toEqual([]);
  });
});

describe('a key', () => {
  test('with a different body or for another endpoint is a conflict that costs nothing', async () => {
    const person = await newPerson({ credits: 100 });
    await complete(person);
    const conflict = { status: 409, retry: 'false', type: 'idempotency_conflict' };
    expect(await readError(await send(person, { prompt: 'Another question' }))).toMatchObject(conflict);
    expect(await readError(await send(person, { route: '/v1/messages' }))).toMatchObject(conflict);
    expect(await receiptsOf(person)).toHaveLength(1);
  });

  test('belongs to one user @attack', async () => {
    const [one, two] = [await newPerson({ credits: 100 }), await newPerson({ credits: 100 })];
    const first = await complete(one);
    const second = await complete(two);
    expect(second.isReplay).toBe(false);
    expect(second.id).not.toBe(first.id);
  });

  test('that is not printable is refused, and none leaves no row', async () => {
    const person = await newPerson({ credits: 100 });
    expect(await readError(await send(person, { key: 'x'.repeat(256) }))).toMatchObject({
      status: 400,
      param: 'Idempotency-Key',
    });
    expect((await complete(person, { key: null })).status).toBe(200);
    expect(await rowOf(person)).toBeNull();
  });

  test('is ignored for embeddings', async () => {
    const person = await newPerson({ credits: 100 });
    const embed = () =>
      fetch(`${api.url}/v1/embeddings`, {
        method: 'POST',
        headers: { authorization: `Bearer ${person.userKey}`, 'idempotency-key': 'one' },
        body: JSON.stringify({ model: 'sandbox/embed', input: 'the sea' }),
      });
    for (const response of [await embed(), await embed()]) expect(response.status).toBe(200);
    expect(await receiptsOf(person)).toHaveLength(2);
    expect(await rowOf(person)).toBeNull();
  });

  test('is forgotten after 24 hours', async () => {
    const person = await newPerson({ credits: 100 });
    const first = await complete(person);
    const begun = now();
    setClock(() => begun + DAY_MS - HOUR_MS);
    expect((await read(await send(person))).isReplay).toBe(true);
    setClock(() => begun + DAY_MS + HOUR_MS);
    const later = await complete(person);
    expect(later).toMatchObject({ status: 200, isReplay: false });
    expect(later.id).not.toBe(first.id);
    expect(await receiptsOf(person)).toHaveLength(2);

    setClock(() => begun + 3 * DAY_MS);
    await forgetIdempotentRequests();
    expect(await rowOf(person)).toBeNull();
  });

  test('of a user without credits still gets its response', async () => {
    const person = await newPerson({ credits: 1 });
    const first = await complete(person);
    expect((await send(person, { key: null })).status).toBe(402);
    expect(await read(await send(person))).toEqual({ ...first, isReplay: true });
  });

  test('sent with a user key that was revoked meanwhile gets 401 @attack', async () => {
    const person = await newPerson({ credits: 100 });
    await complete(person);
    await revokeKey(person.userId, person.keyId);
    expect((await send(person)).status).toBe(401);
  });
});

describe('a request that costs nothing', () => {
  /** Sends a request whose provider fails, up to its second attempt, which fails when the test lets it proceed. */
  async function beginToFail(person: Person) {
    upstream.answer({ ...ANSWER, fails: true });
    const called = upstream.nextCall();
    const response = send(person);
    const first = await called;
    const calledAgain = upstream.nextCall();
    first.proceed();
    return { response, call: await calledAgain };
  }

  test('does not use up its key: failed provider, missing credits', async () => {
    const person = await newPerson({ credits: 100 });
    const { response, call } = await beginToFail(person);
    call.proceed();
    expect((await response).status).toBe(502);
    expect(await rowOf(person)).toBeNull();
    expect(await complete(person)).toMatchObject({ status: 200, isReplay: false });

    const poor = await newPerson({ credits: 0 });
    expect((await send(poor)).status).toBe(402);
    expect(await rowOf(poor)).toBeNull();
  });

  test('passes its key to the one that waits', async () => {
    const person = await newPerson({ credits: 100 });
    const { response, call } = await beginToFail(person);
    const second = send(person);
    upstream.answer(ANSWER);
    const calledAgain = upstream.nextCall();
    call.proceed();
    expect((await response).status).toBe(502);
    (await calledAgain).proceed();
    expect(await read(await second)).toMatchObject({ status: 200, isReplay: false });
    expect(await receiptsOf(person)).toHaveLength(1);
  });
});

describe('an instance that dies', () => {
  const expireLeases = () =>
    pool().query(`UPDATE hold SET lease_until = clock_timestamp() - interval '1 second'`);

  async function dieDuring(person: Person, { isMetered }: { isMetered: boolean }): Promise<string> {
    const { url, child } = await startInstance();
    upstream.answer(ANSWER);
    const called = upstream.nextCall();
    const response = await send(person, { url, stream: true });
    const reading = readUntilMark(response).catch(() => {});
    await called;
    await reading;
    if (isMetered) {
      child.send('renew');
      await once(child, 'message');
    }
    child.kill('SIGKILL');
    await once(child, 'exit');
    return response.headers.get('x-request-id') ?? '';
  }

  test('in the middle of a response that was metered: the retry waits, then gets 409 with the receipt @attack', async () => {
    const person = await newPerson({ credits: 100 });
    const id = await dieDuring(person, { isMetered: true });
    const calls = upstream.calls.length;
    const retry = send(person, { stream: true });
    await expireLeases();
    await sweepHolds();
    const error = await readError(await retry);
    expect(error).toMatchObject({ status: 409, retry: 'false', type: 'already_charged' });
    expect(error.message).toContain(`Its receipt is ${id}.`);
    expect(upstream.calls.length).toBe(calls);
    expect(await receiptsOf(person)).toHaveLength(1);
  });

  test('before anything was metered: the retry runs', async () => {
    const person = await newPerson({ credits: 100 });
    const id = await dieDuring(person, { isMetered: false });
    const called = upstream.nextCall();
    const retry = send(person, { stream: true });
    await expireLeases();
    await sweepHolds();
    (await called).proceed();
    const seen = await read(await retry);
    expect(seen).toMatchObject({ status: 200, isReplay: false });
    expect(seen.id).not.toBe(id);
    expect(await receiptsOf(person)).toHaveLength(1);
  });

  const claimInVain = (person: Person) =>
    claim({
      userId: person.userId,
      partnerId: person.partnerId,
      key: 'one',
      requestId: newId('req'),
      format: 'chat',
      bodyHash: Buffer.alloc(32),
    });

  test('before its hold: the retry runs once the claim has expired, and the claim is void @attack', async () => {
    const person = await newPerson({ credits: 100 });
    const lost = await claimInVain(person);
    const hold = { requestId: 'req_1', userId: person.userId };
    await pool().query(`UPDATE idempotent_request SET claimed_until = clock_timestamp() WHERE user_id = $1`, [
      person.userId,
    ]);
    expect(await complete(person)).toMatchObject({ status: 200, isReplay: false });
    // The instance was only suspended, and goes on.
    const refusal = await lost?.findRefusal(hold as Parameters<typeof lost.findRefusal>[0]);
    expect(refusal).toMatchObject({ code: 'overloaded' });
    expect((await read(await send(person))).isReplay).toBe(true);
  });

  test('between the settlement and keeping the response: 409 with the receipt', async () => {
    const person = await newPerson({ credits: 100 });
    const { id } = await complete(person);
    await pool().query('UPDATE idempotent_request SET ended = false, response = NULL WHERE user_id = $1', [
      person.userId,
    ]);
    await forge([
      `UPDATE ledger_transaction SET created_at = created_at - interval '1 minute' WHERE user_id = '${person.userId}'`,
      RECOUNT_SPENT,
    ]);
    const error = await readError(await send(person));
    expect(error).toMatchObject({ status: 409, type: 'already_charged' });
    expect(error.message).toContain(id);
    expect(await receiptsOf(person)).toHaveLength(1);
  });
});

describe('what is kept', () => {
  test('is sealed, without the prompt, and is deleted with the account @attack', async () => {
    const person = await newPerson({ credits: 100 });
    const { text } = await complete(person);
    expect(text).toContain('The answer### is forty-two.');
    const { rows } = await pool().query<{ row: string }>(
      `SELECT concat(r::text, ' ', encode(response, 'escape')) AS row
       FROM idempotent_request r WHERE user_id = $1`,
      [person.userId],
    );
    expect(rows).toHaveLength(1);
    for (const secret of ['forty-two', PROMPT, person.userKey]) expect(rows[0]?.row).not.toContain(secret);
    expect((await rowOf(person))?.response?.length).toBeGreaterThan(100);

    await deleteAccount(person.userId);
    expect(await rowOf(person)).toBeNull();
  });

  test('is kept for KEEP_REPLAYS_HOURS, and the key for 24 hours', async () => {
    Object.assign(settings(), { KEEP_REPLAYS_HOURS: 1 });
    const person = await newPerson({ credits: 100 });
    const { id } = await complete(person);
    const begun = now();
    setClock(() => begun + 2 * HOUR_MS);
    expect((await readError(await send(person))).message).toContain(id);
    await forgetIdempotentRequests();
    expect(await rowOf(person)).toMatchObject({ response: null, ended: true });
    expect((await readError(await send(person))).type).toBe('already_charged');
  });

  test('is nothing if KEEP_REPLAYS_HOURS is 0: 409 with the receipt, and a disconnect cancels the provider', async () => {
    Object.assign(settings(), { KEEP_REPLAYS_HOURS: 0 });
    const person = await newPerson({ credits: 100 });
    const { id } = await complete(person);
    expect((await rowOf(person))?.response).toBeNull();
    expect((await readError(await send(person))).message).toContain(id);
    expect(await receiptsOf(person)).toHaveLength(1);

    const call = await leave(person, { key: 'two', stream: true });
    expect(await call.wasCancelled).toBe(true);
    expect(await readError(await send(person, { key: 'two', stream: true }))).toMatchObject({
      type: 'already_charged',
    });
    expect(await receiptsOf(person)).toHaveLength(2);
  });

  test.each([true, false])('is nothing that is too large (stream: %s) @attack', async (stream) => {
    const person = await newPerson({ credits: 100 });
    upstream.answer({ ...ANSWER, rest: Array.from({ length: 5 }, () => 'x'.repeat(1024 * 1024)) });
    const called = upstream.nextCall();
    const response = send(person, { stream });
    (await called).proceed();
    const { status, id } = await read(await response);
    expect(status).toBe(200);
    expect((await rowOf(person))?.response).toBeNull();
    const error = await readError(await send(person, { stream }));
    expect(error).toMatchObject({ status: 409, type: 'already_charged' });
    expect(error.message).toContain(id);
  });

  test('is no stream that broke: 409 with the receipt of what was charged', async () => {
    const person = await newPerson({ credits: 100 });
    upstream.answer({ ...ANSWER, breaks: true });
    const called = upstream.nextCall();
    // It has begun, so no other attempt is made.
    const response = await send(person, { stream: true });
    (await called).proceed();
    const { text, id } = await read(response);
    expect(text).toContain('upstream_error');
    const error = await readError(await send(person, { stream: true }));
    expect(error.message).toContain(id);
    expect(await receiptsOf(person)).toHaveLength(1);
  });
});

describe('a request that waits', () => {
  async function begin(person: Person) {
    upstream.answer(ANSWER);
    const called = upstream.nextCall();
    const response = send(person);
    return { response, call: await called };
  }

  test('holds no credits and takes no place; more than a user may run get 429 @attack', async () => {
    Object.assign(settings(), { LIMIT_RUNNING_PER_USER: 1, LIMIT_RUNNING_PER_PROCESS: 1 });
    const person = await newPerson({ credits: 100 });
    const { response, call } = await begin(person);
    const ended: Response[] = [];
    const waits = Array.from({ length: 3 }, async () => void ended.push(await send(person)));
    await until(
      async () => ended.length,
      (count) => count === 2,
    );
    for (const refused of ended.splice(0)) {
      expect(await readError(refused)).toMatchObject({
        status: 429,
        type: 'rate_limited',
        message: 'The first request with this Idempotency-Key is still in progress.',
      });
    }
    expect(await prisma().hold.count({ where: { userId: person.userId } })).toBe(1);
    expect(runningGenerations()).toBe(1);
    call.proceed();
    await Promise.all(waits);
    expect(ended.map(({ status }) => status)).toEqual([200]);
    expect((await response).status).toBe(200);
  });

  test('ends when its instance stops, and its client retries', async () => {
    const person = await newPerson({ credits: 100 });
    const { response, call } = await begin(person);
    const waiting = send(person);
    await until(
      async () => cutOffWaiting(),
      (count) => count === 1,
    );
    expect((await waiting).status).toBe(503);
    call.proceed();
    expect((await response).status).toBe(200);
  });
});
