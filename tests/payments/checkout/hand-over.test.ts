import { afterEach, expect, test } from 'vitest';
import { MINUTE_MS, now, setClock } from '@/server/base/clock';
import { inTransaction } from '@/server/base/db';
import { writeHandOver } from '@/server/payments/checkout/hand-over';
import { findVisitApp } from '@/server/payments/checkout/visit-partner';
import { revokeSession } from '@/server/people/keys/revoke';
import { openSession } from '@/server/people/sessions';
import { exchangeSignInToken } from '@/server/people/sign-in-tokens';
import { openUser } from '@/server/people/users';
import { newDatabase } from '../../harness';
import { APP_ORIGIN, CheckoutWindow, startCheckout, VERIFIER } from './checkout-world';

/** A checkout takes over the sign-in of a window that it opened. */

await newDatabase();
const world = await startCheckout();
afterEach(() => setClock());

let users = 0;

/** A browser that is signed in to the service, in the window next to the checkout. */
async function newSession(email = `window-${++users}@example.com`) {
  return inTransaction(async (tx) => {
    const { id: userId } = await openUser(tx, email);
    return { userId, email, ...(await openSession(tx, { userId, userAgent: 'test' })) };
  });
}

const accept = (checkout: CheckoutWindow, token: string, changesAccount?: boolean) =>
  checkout.post('/sign-in-token', { hand_over: token, changes_account: changesAccount });

test.each(['embedded', 'popup'])(
  'the token of a window signs in the %s checkout that opened it, and the app gets its key',
  async (display) => {
    const checkout = await CheckoutWindow.open(world, { display });
    const session = await newSession();
    const { status, body } = await accept(checkout, writeHandOver(checkout.visitId, session));
    expect(status).toBe(200);
    expect((await checkout.get()).body).toMatchObject({ signed_in: 'session', email: session.email });
    const { publishableKey } = world.app;
    const exchange = {
      publishableKey,
      token: String(body.sign_in_token),
      codeVerifier: VERIFIER,
      origin: APP_ORIGIN,
    };
    expect((await exchangeSignInToken(exchange)).userKey).toMatch(/^svc_sk_/);
  },
);

test('a token works in no other checkout, for a minute, and while its session lives @attack', async () => {
  const checkout = await CheckoutWindow.open(world);
  const [session, ended] = [await newSession(), await newSession()];
  const other = await CheckoutWindow.open(world);
  await inTransaction((tx) => revokeSession(tx, ended.sessionId));
  const good = writeHandOver(checkout.visitId, session);
  const tokens = [
    writeHandOver(other.visitId, session),
    writeHandOver(checkout.visitId, ended),
    `${good.slice(0, -2)}AA`,
    session.sessionId,
    '',
    '\0',
  ];
  for (const token of tokens)
    expect([token, (await accept(checkout, token)).body]).toMatchObject([
      token,
      { error: { type: 'invalid_grant' } },
    ]);
  const later = now() + MINUTE_MS;
  setClock(() => later);
  expect((await accept(checkout, good)).body).toMatchObject({ error: { type: 'invalid_grant' } });
  expect((await checkout.get()).body).toMatchObject({ signed_in: null });
});

test('a token for another account than the checkout knows changes it only if the user says so @attack', async () => {
  const checkout = await CheckoutWindow.open(world);
  await checkout.signIn('known@example.com');
  const session = await newSession();
  const token = writeHandOver(checkout.visitId, session);
  expect((await accept(checkout, token)).body).toEqual({ refused: 'other_account', email: session.email });
  expect((await checkout.get()).body).toMatchObject({ email: 'known@example.com' });
  expect((await accept(checkout, token, true)).body).toHaveProperty('sign_in_token');
  expect((await checkout.get()).body).toMatchObject({ email: session.email });
});

test('the window names the app of an open checkout only', async () => {
  const { visitId } = await CheckoutWindow.open(world);
  expect(await findVisitApp(visitId)).toBe('Notes');
  for (const unknown of ['ckv_none', '', "'", '\0']) expect(await findVisitApp(unknown)).toBeNull();
  const later = now() + 61 * MINUTE_MS;
  setClock(() => later);
  expect(await findVisitApp(visitId)).toBeNull();
});
