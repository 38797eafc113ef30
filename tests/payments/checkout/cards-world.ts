import { expect } from 'vitest';
import { inTransaction, prisma } from '@/server/base/db';
import { listSavedCards, startCardSetup } from '@/server/payments/checkout/saved-cards';
import { SESSION_COOKIE } from '@/server/people/session-cookie';
import { type LiveSession, openSession } from '@/server/people/sessions';
import { openUser } from '@/server/people/users';
import { confirmedMinutesAgo } from '../../harness/confirmations';
import { APP_ORIGIN, type App, CheckoutWindow, payByCard, send, type World } from './checkout-world';

/** Users with saved cards, in windows of the checkout. */

export const PAYS = '4242 4242 4242 4242';
export const DECLINES_ONCE_SAVED = '4000 0000 0000 0341';
export const ASKS_BANK = '4000 0027 6000 3184';

export type Buyer = {
  userId: string;
  session: LiveSession;
  confirmedMinutesAgo(minutes: number): Promise<void>;
  /** A popup of the app, in which the user is recognised. */
  openPopup(app?: App): Promise<CheckoutWindow>;
};

let made = 0;

/** A user whose browser is signed in to the service. */
export async function newBuyer(world: World): Promise<Buyer> {
  const email = `buyer-${++made}@example.com`;
  const { userId, sessionId, token } = await inTransaction(async (tx) => {
    const { id } = await openUser(tx, email);
    return { userId: id, ...(await openSession(tx, { userId: id, userAgent: 'test' })) };
  });
  const row = await prisma().session.findUniqueOrThrow({ where: { id: sessionId } });
  const session: LiveSession = {
    ...row,
    userId,
    sessionId,
    email,
    timeZone: null,
    language: null,
    mailLanguage: 'en',
    confirmedBy: 'code',
    isFromIssuer: false,
  };
  return {
    userId,
    session,
    confirmedMinutesAgo: async (minutes) => {
      await confirmedMinutesAgo(token, minutes);
      const { confirmedAt } = await prisma().session.findUniqueOrThrow({ where: { id: sessionId } });
      session.confirmedAt = confirmedAt;
    },
    openPopup: (app = world.app) =>
      CheckoutWindow.open(
        world,
        { publishable_key: app.publishableKey, display: 'popup', origin: APP_ORIGIN },
        `${SESSION_COOKIE}=${token}`,
      ),
  };
}

/** Adds a card on the processor's page. Returns its id: until one is used, the newest comes first. */
export async function addCard({ userId }: Buyer, number = PAYS): Promise<string> {
  const { url } = await startCardSetup(userId, {
    returnUrl: 'http://localhost/account/payment',
    buttonId: `button-${++made}`,
  });
  const { status } = await payByCard(url, number);
  if (status === 'challenge') await send(url, 'POST', {}, { challenge: 'complete' });
  else expect(status).toBe('complete');
  const card = (await listSavedCards(userId)).find(({ last4 }) => number.endsWith(last4));
  expect(card).toBeDefined();
  return card?.id ?? '';
}

/** Buys in the window with the form. */
export async function buyWithForm(window: CheckoutWindow, amount: number): Promise<void> {
  const { session_id: id, payment } = await window.startPayment({ amount });
  expect(await payByCard(payment.embed_url)).toMatchObject({ status: 'complete' });
  expect((await window.get(`/payments/${id}`)).body).toMatchObject({ status: 'completed' });
}

/** The user's answer on the page of the bank, which then returns to `location`. */
export async function answerBank(bankUrl: string, answer: 'complete' | 'fail'): Promise<string> {
  const response = await fetch(bankUrl, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `answer=${answer}`,
  });
  return response.headers.get('location') ?? '';
}

export const control = (world: World, command: object) =>
  send(`${world.sandboxUrl}/__sandbox/control`, 'POST', {}, command);

/** What the processor took from the user, in minor units. */
export async function readPaid({ userId }: Buyer): Promise<number[]> {
  const purchases = await prisma().purchase.findMany({ where: { userId }, orderBy: { createdAt: 'asc' } });
  return purchases.map(({ amountMinor }) => amountMinor);
}
