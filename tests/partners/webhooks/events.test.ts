import { expect, test } from 'vitest';
import { POST as exchange } from '@/app/auth/token/route.api';
import { POST as sendCode } from '@/app/v1/auth/send-code/route.api';
import { POST as verifyCode } from '@/app/v1/auth/verify-code/route.api';
import { wholeCredits } from '@/server/base/credits';
import { inTransaction, prisma } from '@/server/base/db';
import { bookPurchase } from '@/server/ledger';
import { runCommand } from '@/server/operator/cli/run';
import { disablePartner, enablePartner } from '@/server/partners/partner';
import { setEndpoint } from '@/server/partners/webhooks/endpoint';
import { EVENT_DATA, type EventType } from '@/server/partners/webhooks/events';
import { sendTestEvent } from '@/server/partners/webhooks/send-test-event';
import { openAppUser } from '@/server/people/app-users';
import { logOutDevice } from '@/server/people/devices';
import { mintUserKey } from '@/server/people/keys/mint';
import { revokeKey } from '@/server/people/keys/revoke';
import { newDatabase } from '../../harness';
import {
  APP_ORIGIN,
  CheckoutWindow,
  newApp,
  payByCard,
  setWebhooks,
  startCheckout,
  VERIFIER,
} from '../../payments/checkout/checkout-world';
import { allowLoopback, deliverDue } from './hook-world';
import { startReceiver } from './receiver';

await newDatabase();
allowLoopback();
const world = await startCheckout();
const { app } = world;

const EMAIL = 'canary-7f3a@example.com';

type Received = { id: string; type: EventType; created_at: string; data: Record<string, unknown> };

const call = async (route: (request: Request) => Promise<Response>, body: object) => {
  const request = new Request('http://localhost/', {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { origin: APP_ORIGIN },
  });
  const response = await route(request);
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, string>;
};

test('minting, evicting, revoking, logging out, buying, allowing twice, disabling and enabling send the right events and no other', async () => {
  const receiver = await startReceiver();
  await setEndpoint(app.id, receiver.url);
  const read = new Set<string>();
  /** The events that the app's server received since the last call. */
  const readNew = async (): Promise<Received[]> => {
    await deliverDue();
    const fresh = receiver.received.filter(({ id }) => !read.has(id));
    for (const { id } of fresh) read.add(id);
    expect(fresh.every(({ headers, body }) => headers['x-svc-event'] === JSON.parse(body).type)).toBe(true);
    return fresh.map(({ body }) => JSON.parse(body) as Received).sort((a, b) => a.type.localeCompare(b.type));
  };
  const kinds = async () =>
    (await readNew()).map(({ type, data }) => [
      type,
      data.key_id ?? data.type,
      data.reason ?? data.credits_added,
    ]);

  // A sign-in in the checkout, and the exchange of its token.
  const window = await CheckoutWindow.open(world, { display: 'popup' });
  const { sign_in_token } = await window.signIn(EMAIL);
  expect(await kinds()).toEqual([]);
  const metadata = { account: 'a-17', seats: 3, trial: false };
  const first = await call(exchange, {
    grant_type: 'signin_token',
    publishable_key: app.publishableKey,
    token: sign_in_token,
    code_verifier: VERIFIER,
    metadata,
  });
  const [created] = await readNew();
  expect(created).toEqual({
    id: expect.stringMatching(/^evt_/),
    type: 'user_key.created',
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    data: { user_key: first.user_key, key_id: first.key_id, user_id: first.user_id, metadata },
  });

  // A sign-in by a code through the API.
  const { challenge_id } = await call(sendCode, { publishable_key: app.publishableKey, email: EMAIL });
  const second = await call(verifyCode, {
    publishable_key: app.publishableKey,
    challenge_id,
    email: EMAIL,
    code: await window.readCode(EMAIL),
  });
  expect(await kinds()).toEqual([['user_key.created', second.key_id, undefined]]);

  // Eight more keys fit; the eleventh evicts the least recently used.
  const { id: userId } = await prisma().user.findUniqueOrThrow({ where: { email: EMAIL } });
  const mint = () => inTransaction((tx) => mintUserKey(tx, { userId, partnerId: app.id, session: null }));
  for (let n = 3; n <= 10; n++) await mint();
  expect((await kinds()).map(([type]) => type)).toEqual(Array(8).fill('user_key.created'));
  const eleventh = await mint();
  expect(await kinds()).toEqual([
    ['user_key.created', eleventh.keyId, undefined],
    ['user_key.revoked', first.key_id, 'evicted'],
  ]);

  // The user revokes a key; the second time there is nothing to revoke.
  expect(await revokeKey(userId, eleventh.keyId)).toBe(true);
  expect(await revokeKey(userId, eleventh.keyId)).toBe(false);
  expect(await kinds()).toEqual([['user_key.revoked', eleventh.keyId, 'user_revoked']]);

  // A device is logged out, with the one active key that it minted.
  const { sessionId } = await prisma().userKey.findUniqueOrThrow({ where: { id: String(second.key_id) } });
  await logOutDevice(userId, sessionId ?? '');
  expect(await kinds()).toEqual([['user_key.revoked', second.key_id, 'session_revoked']]);

  // A purchase, although the processor reports it twice; nothing before it is paid.
  await setWebhooks(world, 'twice');
  const started = await window.startPayment({ amount: 25, checkout_mode: 'new_tab' });
  expect(await kinds()).toEqual([]);
  await payByCard(started.payment.url);
  await expect
    .poll(async () => (await window.get(`/payments/${started.session_id}`)).body.status)
    .toBe('completed');
  const bought = await readNew();
  expect(bought).toEqual([
    {
      id: expect.stringMatching(/^evt_/),
      type: 'credits.added',
      created_at: expect.any(String),
      data: {
        type: 'purchase',
        user_id: first.user_id,
        metadata,
        balance: 2500,
        credits_added: 2500,
        transaction_id: expect.stringMatching(/^txn_/),
      },
    },
  ]);

  // Credits bought elsewhere: allowed, allowed again, withdrawn; a repeated save is one save.
  const elsewhere = await newApp('Elsewhere');
  await inTransaction(async (tx) => {
    await openAppUser(tx, { userId, partnerId: elsewhere.id });
    await bookPurchase(tx, {
      userId,
      partnerId: elsewhere.id,
      credits: wholeCredits(700),
      sessionId: 'cks_elsewhere',
    });
  });
  const allow = (credits: number | null, save_id: string) => window.post('/allowance', { credits, save_id });
  await allow(300, 'save-one');
  await allow(300, 'save-one');
  const permission = { type: 'permission', user_id: first.user_id, metadata };
  expect((await readNew()).map(({ data }) => data)).toEqual([
    { ...permission, granted_credits: 300, balance: 2800, credits_added: 300 },
  ]);
  await allow(300, 'save-two');
  expect((await readNew()).map(({ data }) => data)).toEqual([
    { ...permission, granted_credits: 300, balance: 2800, credits_added: 0 },
  ]);
  await allow(null, 'save-three');
  expect((await readNew()).map(({ data }) => data)).toEqual([
    { ...permission, granted_credits: 0, balance: 2500, credits_added: 0 },
  ]);

  // Suspended and resumed keys are no events; nor is a grant by the operator.
  await disablePartner(app.id);
  await enablePartner(app.id);
  const quiet = { out: () => {}, err: () => {} };
  expect(
    await runCommand(['user', 'grant', EMAIL, '--credits', '50', '--app', app.publishableKey], quiet),
  ).toBe(0);
  expect(await kinds()).toEqual([]);

  await sendTestEvent(app.id);
  expect((await readNew()).map(({ type, data }) => [type, Object.keys(data).sort()])).toEqual([
    ['test', ['message', 'partner_id']],
  ]);

  // Every body has the fields of its kind only; none identifies the user or reveals the amount paid.
  const all = receiver.received.map(({ body }) => body);
  for (const { type, data } of all.map((body) => JSON.parse(body) as Received)) EVENT_DATA[type].parse(data);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(all.length);
  // Random ids and keys contain any three letters.
  const withoutIds = all.join().replace(/"(svc_sk|evt|key|au|txn)_\w+"/g, '');
  expect(withoutIds).not.toMatch(/canary|usr_|cks_|"amount|"currency|usd/);
}, 60_000);
