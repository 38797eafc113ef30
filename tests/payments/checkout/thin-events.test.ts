import { createHmac } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { now, SECOND_MS } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { readSpendable } from '@/server/ledger';
import { newDatabase } from '../../harness';
import { sandboxStripe } from '../../harness/sandbox-stripe';
import { newUserKey, payByCard, SECRET_KEY, send, startCheckout, WEBHOOK_SECRET } from './checkout-world';

/** A webhook endpoint with thin payloads, which only name the object that changed. */

await newDatabase();
const world = await startCheckout();
const stripe = sandboxStripe(world.sandboxUrl, SECRET_KEY);
const control = async (command: object) => {
  const { status, body } = await send(`${world.sandboxUrl}/__sandbox/control`, 'POST', {}, command);
  expect(status, JSON.stringify(body)).toBe(200);
};
await control({ account: { webhook: { style: 'thin' } } });
afterEach(() => control({ webhooks: 'on' }));

const deliver = () => control({ deliver: 'oldest_first' });

async function pay(card?: string) {
  await control({ webhooks: 'hold' });
  const { userKey, userId } = await newUserKey(world.app, `${newId('usr').toLowerCase()}@example.com`);
  const { body } = await send(
    `${world.url}/v1/credits/checkout`,
    'POST',
    { 'x-user-key': userKey },
    { amount: 10, currency: 'usd' },
  );
  expect(await payByCard(String(body.checkout_url), card)).toMatchObject({ status: 'complete' });
  return { userId, session: String(body.session_id) };
}

const creditsOf = async (userId: string) => Number((await readSpendable(userId, world.app.id)).balance) / 1e6;

test('a purchase, its refund and a dispute are booked from thin events', async () => {
  const { userId, session } = await pay();
  expect(await creditsOf(userId)).toBe(0);
  await deliver();
  expect(await creditsOf(userId)).toBe(1000);
  const { processorPaymentId } = await prisma().purchase.findUniqueOrThrow({ where: { sessionId: session } });
  await stripe.refunds.create({ payment_intent: processorPaymentId ?? '', amount: 400 });
  await deliver();
  expect(await creditsOf(userId)).toBe(600);

  const disputed = await pay('4000 0000 0000 0259');
  await deliver();
  expect(await creditsOf(disputed.userId)).toBe(0);
  expect(await prisma().paymentAlert.count({ where: { kind: 'dispute' } })).toBe(1);
});

const post = (event: object) => postText(JSON.stringify(event));

async function postText(body: string, secret = WEBHOOK_SECRET) {
  const time = Math.floor(now() / SECOND_MS);
  const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
  const headers = { 'stripe-signature': `t=${time},v1=${signature}` };
  const response = await fetch(`${world.url}/api/stripe`, { method: 'POST', body, headers });
  return { status: response.status, text: await response.text() };
}

const thin = (type: string, url: string) => ({
  id: 'evt_1',
  object: 'v2.core.event',
  type,
  created: new Date(now()).toISOString(),
  related_object: { id: 'pi_unknown', type: 'payment_intent', url },
});

test('an event about an object that the key cannot see is accepted and ignored, in both payload styles @attack', async () => {
  const refund = { id: 're_1', object: 'refund', payment_intent: 'pi_unknown' };
  const session = { id: 'cs_test_unknown', object: 'checkout.session', client_reference_id: 'cks_unknown' };
  const snapshot = (type: string, object: object) => ({
    id: 'evt_1',
    object: 'event',
    type,
    data: { object },
  });
  for (const event of [
    snapshot('refund.created', refund),
    snapshot('checkout.session.completed', session),
    thin('v1.refund.created', '/v1/refunds/re_unknown'),
    thin('v1.checkout.session.completed', '/v1/checkout/sessions/cs_test_unknown'),
    thin('v1.account.updated', '/v1/accounts/acct_unknown'),
    thin('v2.core.account.closed', '/v2/core/accounts/acct_unknown'),
  ])
    expect(await post(event), JSON.stringify(event)).toMatchObject({ status: 200 });
});

test('a wrong signature and a signed body that is no event have different errors @attack', async () => {
  const event = JSON.stringify(thin('v1.refund.created', '/v1/refunds/re_unknown'));
  expect(await postText(event, 'whsec_wrong')).toMatchObject({
    status: 400,
    text: expect.stringContaining('The signature of this event is invalid.'),
  });
  expect(await postText('not JSON')).toMatchObject({
    status: 400,
    text: expect.stringContaining('Expected an event with a snapshot or a thin payload.'),
  });
});
