import { describe, expect, test } from 'vitest';
import { MINUTE_MS, now, setClock } from '@/server/base/clock';
import { wholeCredits } from '@/server/base/credits';
import { inTransaction, prisma } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { bookPurchase, readPockets } from '@/server/ledger';
import { createPartner } from '@/server/partners/partner';
import { SESSION_COOKIE } from '@/server/people/session-cookie';
import { openSession } from '@/server/people/sessions';
import { openUser } from '@/server/people/users';
import { newDatabase } from '../../harness';
import {
  type ApiResponse,
  CheckoutWindow,
  newApp,
  newUserKey,
  readEvents,
  startCheckout,
} from './checkout-world';

/** Setting the allowance of an app in its checkout window. */

await newDatabase();
const world = await startCheckout();
const elsewhere = await newApp('Elsewhere');

let made = 0;

/** A user with credits that were bought in another app. */
async function newBuyer(credits = 700): Promise<string> {
  const email = `buyer-${++made}@example.com`;
  const { userId } = await newUserKey(elsewhere, email);
  await inTransaction((tx) =>
    bookPurchase(tx, {
      userId,
      partnerId: elsewhere.id,
      credits: wholeCredits(credits),
      sessionId: `cks_${email}`,
    }),
  );
  return email;
}

async function openFrame(email: string): Promise<CheckoutWindow> {
  const window = await CheckoutWindow.open(world);
  await window.signIn(email);
  return window;
}

/** A popup of a browser that is signed in to the service since `minutes` ago. */
async function openPopup(email: string, minutes: number): Promise<CheckoutWindow> {
  const at = now();
  setClock(() => at - minutes * MINUTE_MS);
  const { token } = await inTransaction(async (tx) => {
    const { id } = await openUser(tx, email);
    return openSession(tx, { userId: id, userAgent: 'test' });
  });
  setClock();
  return CheckoutWindow.open(world, { display: 'popup' }, `${SESSION_COOKIE}=${token}`);
}

let saves = 0;
const newSave = () => `save-number-${++saves}`;

const save = (window: CheckoutWindow, credits: unknown, more: object = {}): Promise<ApiResponse> =>
  window.post('/allowance', { credits, save_id: newSave(), ...more });

/** Saves it with the code that is mailed for it. */
async function saveWithCode(window: CheckoutWindow, email: string, credits: number, saveId = newSave()) {
  const { body } = await window.post('/allowance', { credits, save_id: saveId });
  const confirmation = { challenge_id: String(body.challenge_id), code: await window.readCode(email) };
  return {
    confirmation,
    response: await window.post('/allowance', { credits, save_id: saveId, confirmation }),
  };
}

async function readLeft(window: CheckoutWindow): Promise<unknown> {
  return (await window.get()).body.allowance_left;
}

describe('in a frame, raising an allowance', () => {
  test('changes nothing without a code, however recently the user signed in @attack', async () => {
    const email = await newBuyer();
    const window = await openFrame(email);
    const asked = await save(window, 500);
    expect(asked.status).toBe(202);
    expect(asked.body).toEqual({
      challenge_id: expect.stringMatching(/^ch_/),
      expires_in: 600,
      resend_in: 0,
    });
    expect((await window.get()).body).toMatchObject({ status: 'partner_not_permitted', allowance_left: 0 });
    expect(await readEvents(world.app, 'credits.added')).toEqual([]);
  });

  test('takes a code from a mail that names the app and the amount', async () => {
    const email = await newBuyer();
    const window = await openFrame(email);
    await save(window, 250.5);
    expect(await window.readMail(email)).toMatchObject({
      subject: expect.stringMatching(/^\d{6} allows Notes to spend up to 250.5 of your credits$/),
      text: expect.stringContaining('Notes may spend up to 250.5 credits that you bought elsewhere.'),
    });
    await save(window, 1000, { locale: 'de-AT' });
    expect(await window.readMail(email)).toMatchObject({
      subject: expect.stringMatching(/^\d{6} erlaubt Notes, bis zu 1.000 Ihrer Credits auszugeben$/),
    });
  });

  test('takes the code of exactly this amount, once, in this window @attack', async () => {
    const email = await newBuyer();
    const window = await openFrame(email);
    const other = await openFrame(email);
    const { body: asked } = await save(window, 100);
    const confirmation = { challenge_id: asked.challenge_id, code: await window.readCode(email) };
    for (const refused of [
      await save(window, 101, { confirmation }),
      await save(window, 100.000001, { confirmation }),
      await save(other, 100, { confirmation }),
      await window.post('/verify-code', { ...confirmation, email }),
    ]) {
      expect(refused.status).toBe(400);
      expect(refused.body).toMatchObject({ error: { type: 'invalid_code' } });
    }
    expect(await readLeft(window)).toBe(0);
    expect((await save(window, 100, { confirmation })).body).toEqual({
      granted_credits: 100,
      credits_added: 100,
      balance: 100,
    });
    await save(window, null);
    expect((await save(window, 100, { confirmation })).body).toMatchObject({
      error: { type: 'invalid_code' },
    });
    expect(await readLeft(window)).toBe(0);
  });

  test('does not accept a code for signing in @attack', async () => {
    const email = await newBuyer();
    const window = await openFrame(email);
    const { body: sent } = await window.post('/send-code', { email });
    const confirmation = { challenge_id: sent.challenge_id, code: await window.readCode(email) };
    expect((await save(window, 100, { confirmation })).body).toMatchObject({
      error: { type: 'invalid_code' },
    });
  });

  test('is refused after five wrong codes, even with the right one @attack', async () => {
    const email = await newBuyer();
    const window = await openFrame(email);
    const { body } = await save(window, 100);
    const code = await window.readCode(email);
    const wrong = code === '000000' ? '111111' : '000000';
    const attempt = (entered: string) =>
      save(window, 100, { confirmation: { challenge_id: body.challenge_id, code: entered } });
    for (const entered of [...Array(5).fill(wrong), code])
      expect((await attempt(entered)).body).toMatchObject({ error: { type: 'invalid_code' } });
    expect(await readLeft(window)).toBe(0);
  });

  test('can ask for its code right after the code of the sign-in', async () => {
    const limits = settings();
    const wait = limits.LIMIT_CODE_RESEND_SECONDS;
    const email = await newBuyer();
    limits.LIMIT_CODE_RESEND_SECONDS = 30;
    try {
      const window = await openFrame(email);
      expect((await save(window, 100)).status).toBe(202);
      expect((await save(window, 200)).body).toMatchObject({ error: { type: 'rate_limited' } });
    } finally {
      limits.LIMIT_CODE_RESEND_SECONDS = wait;
    }
  });

  test('takes no code to lower, keep or remove it, and takes one again to restore it', async () => {
    const email = await newBuyer();
    const window = await openFrame(email);
    await saveWithCode(window, email, 300);
    expect((await save(window, 300)).body).toEqual({ granted_credits: 300, credits_added: 0, balance: 300 });
    expect((await save(window, 120)).body).toEqual({ granted_credits: 120, credits_added: 0, balance: 120 });
    expect((await save(window, 121)).status).toBe(202);
    expect((await save(window, null)).body).toEqual({ granted_credits: 0, credits_added: 0, balance: 0 });
    expect((await save(window, 120)).status).toBe(202);
    expect(await readLeft(window)).toBe(0);
  });

  test('is not possible by many saves at once that each look like lowering it @attack', async () => {
    const email = await newBuyer();
    const window = await openFrame(email);
    await saveWithCode(window, email, 300);
    const answers = await Promise.all(
      [150, 300, 100, 200, null, 300, 50].map((credits) => save(window, credits)),
    );
    const left = Number(await readLeft(window));
    const granted = answers
      .filter(({ status }) => status === 200)
      .map(({ body }) => Number(body.granted_credits));
    // In some order, each one that was saved is no more than the one before it.
    expect(left).toBe(Math.min(...granted));
  });
});

describe('in a first-party window, raising an allowance', () => {
  test('takes a confirmation of the last ten minutes', async () => {
    const email = await newBuyer();
    const window = await openPopup(email, 9);
    expect((await save(window, 400)).body).toEqual({
      granted_credits: 400,
      credits_added: 400,
      balance: 400,
    });
  });

  test('takes a code once the confirmation is older @attack', async () => {
    const email = await newBuyer();
    const window = await openPopup(email, 11);
    expect((await save(window, 400)).status).toBe(202);
    expect(await readLeft(window)).toBe(0);
    const { response } = await saveWithCode(window, email, 400);
    expect(response.body).toEqual({ granted_credits: 400, credits_added: 400, balance: 400 });
  });
});

test('a code raises no allowance of an owner who confirms with a passkey, in a frame or a window @attack', async () => {
  const email = await newBuyer();
  const { id: userId } = await prisma().user.findUniqueOrThrow({ where: { email } });
  await createPartner({ name: 'Owned', rateBp: 0, origins: [], ownerEmail: email });
  await prisma().passkey.create({
    data: {
      id: 'pky_owner',
      userId,
      credentialId: 'owner',
      userHandle: 'owner',
      name: 'Laptop',
      publicKey: new Uint8Array([1]),
      counter: 0n,
    },
  });
  for (const window of [await openFrame(email), await openPopup(email, 1)]) {
    const refused = await save(window, 100);
    expect([refused.status, refused.body]).toMatchObject([403, { error: { type: 'passkey_required' } }]);
  }
  const popup = await openPopup(email, 1);
  await prisma().session.updateMany({ where: { userId }, data: { confirmedBy: 'passkey' } });
  expect((await save(popup, 100)).body).toMatchObject({ granted_credits: 100 });
});

describe('saving the allowance of an app', () => {
  test('counts every save once and notifies the app, even if it adds nothing', async () => {
    const email = await newBuyer();
    const window = await openPopup(email, 1);
    const before = (await readEvents(world.app, 'credits.added')).length;

    const first = await window.post('/allowance', { credits: 300, save_id: 'save-one' });
    expect(first.body).toEqual({ granted_credits: 300, credits_added: 300, balance: 300 });
    expect((await window.post('/allowance', { credits: 300, save_id: 'save-one' })).body).toEqual(first.body);
    const second = await window.post('/allowance', { credits: 300, save_id: 'save-two' });
    expect(second.body).toEqual({ granted_credits: 300, credits_added: 0, balance: 300 });
    const removed = await window.post('/allowance', { credits: null, save_id: 'save-three' });
    expect(removed.body).toEqual({ granted_credits: 0, credits_added: 0, balance: 0 });
    expect((await window.get()).body).toMatchObject({
      allowance_saved: null,
      status: 'partner_not_permitted',
      money: 700,
    });

    const events = (await readEvents(world.app, 'credits.added')).slice(before);
    expect(
      events.map(({ data }) => [data.type, data.granted_credits, data.credits_added, data.balance]),
    ).toEqual([
      ['permission', 300, 300, 300],
      ['permission', 300, 0, 300],
      ['permission', 0, 0, 0],
    ]);
    expect(events[0]?.data).toMatchObject({
      user_id: expect.stringMatching(/^au_/),
      metadata: { account: 'a-17' },
    });
    expect(JSON.stringify(events)).not.toContain('usr_');
  });

  test('books a save once that is sent again with a new code after its response was lost', async () => {
    const email = await newBuyer();
    const window = await openFrame(email);
    const { response } = await saveWithCode(window, email, 300, 'save-lost');
    const { userId } = await newUserKey(elsewhere, email);
    await save(window, 10);
    const again = await saveWithCode(window, email, 300, 'save-lost');
    expect(again.response.body).toEqual(response.body);
    const { pockets } = await readPockets(userId);
    expect(pockets.find(({ partnerId }) => partnerId === world.app.id)?.allowanceLeft).toBe(wholeCredits(10));
  });

  test('refuses the same save id with another amount as a conflict', async () => {
    const window = await openPopup(await newBuyer(), 1);
    await window.post('/allowance', { credits: 10, save_id: 'save-one' });
    expect((await window.post('/allowance', { credits: 20, save_id: 'save-one' })).status).toBe(409);
  });

  test.each([[-1], [0.0000001], ['10'], [1e300]])(
    'refuses an allowance of %s and names the parameter',
    async (credits) => {
      const refused = await save(await openFrame(await newBuyer()), credits);
      expect(refused.status).toBe(400);
      expect(refused.body).toMatchObject({ error: { type: 'invalid_request', param: 'credits' } });
    },
  );
});

test('saving zero removes the allowance', async () => {
  const email = await newBuyer();
  const window = await openFrame(email);
  await saveWithCode(window, email, 100);
  expect((await save(window, 0)).body).toMatchObject({ granted_credits: 0, balance: 0 });
  const { id: userId } = await prisma().user.findUniqueOrThrow({ where: { email } });
  const pockets = await prisma().userApp.findMany({ where: { userId, partnerId: world.app.id } });
  expect(pockets.map(({ allowanceSaved }) => allowanceSaved)).toEqual([null]);
});
