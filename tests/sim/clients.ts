import { setTimeout as pause } from 'node:timers/promises';
import type Stripe from 'stripe';
import { wholeCredits } from '@/server/base/credits';
import { inTransaction, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { ALL_APPS, resumeSpending, saveAllowance, stopSpending } from '@/server/ledger';
import { createPartner } from '@/server/partners/partner';
import { openAppUser } from '@/server/people/app-users';
import { mintUserKey } from '@/server/people/keys/mint';
import { openUser } from '@/server/people/users';
import { bookPaidSession } from '../harness/purchases';
import { disputePayment } from './disputes';
import { insist } from './insist';
import type { Tally } from './tally';

/** Users with one wallet and a key in each of two apps; several clients use every wallet in parallel. */

export type Wallet = { userId: string; keys: { partnerId: string; userKey: string }[] };

const APPS = 2;
const FIRST_CREDITS = 8;

export async function openWallets(count: number): Promise<Wallet[]> {
  const partners: { id: string }[] = [];
  for (let n = 0; n < APPS; n++)
    partners.push(await createPartner({ name: `App ${n}`, rateBp: 2500 * n, origins: [] }));
  return Promise.all(Array.from({ length: count }, () => openWallet(partners.map(({ id }) => id))));
}

function openWallet(partnerIds: string[]): Promise<Wallet> {
  return inTransaction(async (tx) => {
    const { id: userId } = await openUser(tx, `${newId('usr').toLowerCase()}@example.com`);
    const keys: Wallet['keys'] = [];
    for (const partnerId of partnerIds) {
      await openAppUser(tx, { userId, partnerId });
      const { userKey } = await mintUserKey(tx, { userId, partnerId, session: null });
      keys.push({ partnerId, userKey });
    }
    const [first] = partnerIds;
    const credits = wholeCredits(FIRST_CREDITS);
    if (first) await bookPaidSession(tx, { userId, partnerId: first, credits, sessionId: newId('cks') });
    return { userId, keys };
  });
}

/** Models that respond, as often as each is listed here, and those that fail in a particular way. */
const MODELS = [
  'sandbox/echo',
  'sandbox/echo',
  'sandbox/story',
  'sandbox/story',
  'sandbox-anthropic/echo',
  'sandbox/cut',
  'sandbox/no-usage',
  'sandbox/error-500',
  'sandbox/stall',
  'sandbox/slow',
  'sandbox/error-mid-stream',
  'sandbox/big-usage',
  'sandbox/no-done',
];
const FAILING = /cut|no-usage|error|stall|slow|big-usage|no-done/;
const NEVER_ENDING = /stall|slow/;
const PATIENCE_MS = 20_000;
const LONGEST_PAUSE_MS = 25;

export type Site = {
  random: () => number;
  tally: Tally;
  addresses: () => string[];
  wallets: Wallet[];
  processor: Stripe;
  /** What the bank does. */
  control: (command: object) => Promise<void>;
};

/** One client: runs one action after the other until it is stopped. */
export async function runClient(site: Site, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const chance = site.random();
    if (chance < 0.8) await generate(site);
    else if (chance < 0.82) await stopAndResume(site);
    else if (chance < 0.88) await changeAllowance(site);
    else if (chance < 0.92) await readBalance(site);
    else await purchase(site);
    await pause(site.random() * LONGEST_PAUSE_MS);
  }
}

function pick<T>(random: () => number, choices: T[]): T {
  const chosen = choices[Math.floor(random() * choices.length)];
  if (chosen === undefined) throw new Error('There is nothing to choose from');
  return chosen;
}

async function generate({ random, tally, addresses, wallets }: Site): Promise<void> {
  const [address, wallet, model] = [pick(random, addresses()), pick(random, wallets), pick(random, MODELS)];
  const { userKey } = pick(random, wallet.keys);
  const stream = random() < 0.6;
  const disconnects = random() < 0.2 || NEVER_ENDING.test(model);
  const patienceMs = disconnects ? Math.floor(random() * 250) : PATIENCE_MS;
  const max_tokens = random() < 0.5 ? Math.ceil(4_000 ** random()) : undefined;
  tally.operation(stream ? 'request, streamed' : 'request, whole');
  if (FAILING.test(model)) tally.fault(`upstream ${model.split('/')[1]}`);
  if (disconnects) tally.fault('client leaves');
  await sendRequest(
    tally,
    `${address}/v1/chat/completions`,
    userKey,
    { model, stream, max_tokens },
    patienceMs,
  );
}

async function sendRequest(
  tally: Tally,
  address: string,
  userKey: string,
  request: { model: string; stream: boolean; max_tokens: number | undefined },
  patienceMs: number,
): Promise<void> {
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${userKey}` },
      body: JSON.stringify({ ...request, messages: [{ role: 'user', content: 'Tell me about the sea' }] }),
      signal: AbortSignal.timeout(patienceMs),
    });
    const requestId = response.headers.get('x-request-id') ?? '';
    const charged = response.headers.get('x-svc-credits-charged');
    // The headers report the charge, whatever happens to the body.
    if (charged !== null) tally.charged.set(requestId, BigInt(Math.round(Number(charged) * 1e6)));
    const text = await response.text();
    // One that the user stopped while it ran is charged.
    if (!response.ok && !text.includes('"limits.all.stop"')) tally.refused.add(requestId);
    if (request.stream && text.includes('data: [DONE]')) tally.streamed.add(requestId);
    tally.operation(`answered ${response.status}`);
  } catch (error) {
    tally.operation(error instanceof Error && error.name === 'TimeoutError' ? 'left' : 'connection lost');
  }
}

/** If the database fails during the save, the outcome is unknown: both values are correct. */
async function changeAllowance({ random, tally, wallets }: Site): Promise<void> {
  const { userId, keys } = pick(random, wallets);
  const { partnerId } = pick(random, keys);
  const allowance = random() < 0.2 ? null : wholeCredits(Math.floor(random() * 20));
  const saveId = newId('req');
  tally.operation('limit saved');
  const save = () => inTransaction((tx) => saveAllowance(tx, { userId, partnerId, allowance, saveId }));
  // The form's token makes a repetition harmless.
  await Promise.all([save(), save()]).catch(() => tally.operation('database away'));
}

async function stopAndResume({ random, tally, wallets }: Site): Promise<void> {
  const { userId } = pick(random, wallets);
  tally.operation('stop');
  const of = { userId, partnerId: ALL_APPS };
  try {
    await inTransaction((tx) => stopSpending(tx, of));
    // Instances look for stops once a second.
    await pause(random() * 2_000);
    await inTransaction((tx) => resumeSpending(tx, of));
  } catch {
    tally.operation('database away');
    await insist(() => inTransaction((tx) => resumeSpending(tx, of)));
  }
}

async function readBalance({ random, tally, addresses, wallets }: Site): Promise<void> {
  const { userKey } = pick(random, pick(random, wallets).keys);
  tally.operation('balance read');
  const body = await call(`${pick(random, addresses())}/v1/credits/balance`, { userKey });
  if (typeof body?.balance === 'number' && body.balance < 0)
    tally.violation(`the API reported a balance of ${body.balance}`);
}

const CARD = { number: '4242 4242 4242 4242', expiry: '12/40', cvc: '123', name: 'Ada Lovelace' };
const PRICE_MINOR = 500;
const DECLINED_CARD = { ...CARD, number: '4000 0000 0000 0002' };

async function purchase(site: Site): Promise<void> {
  const { random, tally, addresses, wallets } = site;
  const { userKey } = pick(random, pick(random, wallets).keys);
  const declined = random() < 0.2;
  tally.operation('purchase');
  const started = await call(`${pick(random, addresses())}/v1/credits/checkout`, {
    userKey,
    post: { amount: PRICE_MINOR / 100, currency: 'usd' },
  });
  if (typeof started?.session_id !== 'string') return;
  const paid = await call(String(started.checkout_url), { post: declined ? DECLINED_CARD : CARD });
  if (paid?.status !== 'complete') return void tally.unpaid.add(started.session_id);
  tally.paid.add(started.session_id);
  if (random() < 0.6) await refund(site, started.session_id);
  if (random() < 0.4) await disputePayment(site, started.session_id);
}

/** In one or two parts, right after the payment: possibly before its credits arrived. */
async function refund({ random, tally, processor }: Site, sessionId: string): Promise<void> {
  const first = 1 + Math.floor(random() * PRICE_MINOR);
  try {
    const { processorSessionId } = await prisma().checkoutSession.findUniqueOrThrow({
      where: { id: sessionId },
    });
    const session = await processor.checkout.sessions.retrieve(processorSessionId ?? '');
    const payment_intent = String(session.payment_intent);
    for (const amount of [first, random() < 0.5 ? PRICE_MINOR - first : 0].filter((part) => part > 0)) {
      tally.operation('refund');
      await processor.refunds.create({ payment_intent, amount });
      tally.refundedMinor.set(sessionId, (tally.refundedMinor.get(sessionId) ?? 0) + amount);
    }
  } catch {
    tally.operation('database away');
  }
}

async function call(
  address: string,
  { userKey, post }: { userKey?: string; post?: object },
): Promise<Record<string, unknown> | null> {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (userKey !== undefined) headers.authorization = `Bearer ${userKey}`;
  try {
    const response = await fetch(address, {
      ...(post && { method: 'POST', body: JSON.stringify(post) }),
      headers,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return (await response.json()) as Record<string, unknown>;
  } catch {
    return null;
  }
}
