import { beforeAll, expect, test } from 'vitest';
import { POST as sendApiCode } from '@/app/v1/auth/send-code/route.api';
import { inTransaction, prisma } from '@/server/base/db';
import { signUpPartner } from '@/server/partners/sign-up';
import { fulfil } from '@/server/payments/checkout/fulfil';
import { openUser } from '@/server/people/users';
import { sendMails } from '@/server/process/mail-jobs';
import { newDatabase } from '../../harness';
import { until } from '../../harness/until';
import { APP_ORIGIN, CheckoutWindow, payByCard, startCheckout } from './checkout-world';

/** Mails and pages about an app whose name no operator has approved: anyone may have written it. */

await newDatabase();
const world = await startCheckout();
const NAME = 'Verlockung Gratis';

beforeAll(async () => {
  const email = 'owner@example.com';
  const { id: userId } = await inTransaction((tx) => openUser(tx, email));
  const signUp = {
    email,
    userId,
    teamId: null,
    name: NAME,
    rateBp: 0,
    origins: [APP_ORIGIN],
  };
  world.app = await signUpPartner(signUp);
});

type Mail = { subject: string; text: string; html: string };
const mailsTo = async (email: string): Promise<Mail[]> =>
  (await fetch(`${world.mailUrl}/mails?to=${encodeURIComponent(email)}`)).json() as Promise<Mail[]>;
const approve = (nameApprovedAt: Date | null) =>
  prisma().partner.update({ where: { id: world.app.id }, data: { nameApprovedAt } });

async function sendCode(email: string, locale: string): Promise<void> {
  const { publishableKey } = world.app;
  const response = await sendApiCode(
    new Request(`${world.url}/v1/auth/send-code`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ publishable_key: publishableKey, email, locale }),
    }),
  );
  expect(response.status).toBe(200);
}

/** Every mail that a user of an app gets: codes of the API and the checkout, and the receipt of a purchase. */
async function causeEveryMail(name: string): Promise<Mail[]> {
  const email = (what: string) => `${what}-${name}@example.com`;
  await sendCode(email('english'), 'en');
  await sendCode(email('german'), 'de-AT');
  for (const language of ['en', 'de']) {
    const window = await CheckoutWindow.open(world);
    await window.signIn(email(language));
    const { session_id, payment } = await window.startPayment({ amount: 10, language });
    await payByCard(payment.embed_url);
    await fulfil(session_id);
    await sendMails('receipt');
    await until(
      () => mailsTo(email(language)),
      (mails) => mails.length === 2,
    );
  }
  return (await Promise.all(['english', 'german', 'en', 'de'].map((what) => mailsTo(email(what))))).flat();
}

test('no mail contains anything of a name before its approval, and every mail contains it afterwards @attack', async () => {
  const before = await causeEveryMail('before');
  expect(before).toHaveLength(6);
  for (const { subject, text, html } of before) {
    expect(`${subject}\n${text}\n${html}`).not.toMatch(/verlockung|gratis|app\.example\.com/i);
    expect(text).toMatch(/an app that uses svc|eine app, die svc nutzt|einer? App mit svc/i);
  }
  await approve(new Date());
  const after = await causeEveryMail('after');
  expect(after).toHaveLength(6);
  for (const { text } of after) expect(text).toContain(NAME);
  await approve(null);
});

test('the checkout shows the page’s origin next to a name before its approval @attack', async () => {
  const shown = async () => (await (await CheckoutWindow.open(world)).get()).body.app_name;
  expect(await shown()).toBe(`${NAME} (app.example.com)`);
  await approve(new Date());
  expect(await shown()).toBe(NAME);
});
