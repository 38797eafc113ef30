import { expect } from 'playwright/test';

/** A new user in the page of a template: signs in, buys, sends, spends to the 402, buys again. Returns the seconds. */
export async function buyAndSpend(browser, { url, service, clock }) {
  const context = await browser.newContext({ locale: 'en-US' });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  try {
    await page.goto(url);
    await page
      .getByRole('button', { name: /^(Sign in|Buy credits)$/ })
      .first()
      .click();
    const checkout = await findCheckout(page);
    await signIn(checkout, service);
    await buy(checkout);
    const row = { buy: clock() };
    await send(page, 'Tell me about the sea');
    row.send = clock();
    await spendAll(service, await readKey(page));
    row.spend = clock();
    await ask(page, 'And about the wind');
    await buy(await findCheckout(page));
    await expectAnswer(page);
    row.again = clock();
    return row;
  } finally {
    await context.close();
  }
}

const findCheckout = async (page) => {
  const find = () => page.frames().find((frame) => /\/checkout\/ckv_/.test(frame.url()));
  await expect.poll(() => find() !== undefined, { timeout: 60_000 }).toBe(true);
  return find();
};

async function signIn(checkout, service) {
  const email = `template-${Date.now()}@example.com`;
  await checkout.getByLabel('E-mail').fill(email);
  await checkout.getByRole('button', { name: 'Send code' }).click();
  let code;
  const read = async () => {
    const response = await fetch(`${service}/dev/mail/messages?to=${encodeURIComponent(email)}`);
    code = /^(\d{6})\b/.exec((await response.json())[0]?.subject ?? '')?.[1];
    return code;
  };
  await expect.poll(read, { timeout: 30_000 }).toBeDefined();
  await checkout.getByLabel('Code').fill(code);
}

async function buy(checkout) {
  await checkout.getByRole('radio', { name: /\$5\b/ }).check();
  await checkout.getByRole('button', { name: /^Continue with/ }).click();
  const form = checkout.frameLocator('iframe');
  await form.locator('[autocomplete="cc-number"]').fill('4242 4242 4242 4242');
  await form.locator('[autocomplete="cc-exp"]').fill('12 / 34');
  await form.locator('[autocomplete="cc-csc"]').fill('123');
  await form.locator('[autocomplete="cc-name"]').fill('Ada Lovelace');
  await form.getByRole('button', { name: /^Pay/ }).click();
  await checkout.getByRole('button', { name: 'Done' }).click();
}

async function ask(page, question) {
  await page.getByLabel('Question').fill(question);
  await page.getByRole('button', { name: 'Send' }).click();
}

async function send(page, question) {
  await ask(page, question);
  await expectAnswer(page);
}

/** More than a line: the answer of the story model. */
const expectAnswer = (page) =>
  expect(page.locator('#answer')).toHaveText(/\w+ \w+ .{60}/s, { timeout: 60_000 });

const readKey = (page) =>
  page.evaluate(() => {
    const name = Object.keys(localStorage).find((key) => /^svc:svc_pk_\w+$/.test(key));
    return localStorage.getItem(name);
  });

/** With long prompts, then with ever shorter ones. */
async function spendAll(service, key) {
  for (let words = 90_000; words > 1; ) {
    const response = await fetch(`${service}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'sandbox/story',
        messages: [{ role: 'user', content: 'sea '.repeat(words) }],
        max_tokens: 1,
      }),
    });
    const { error } = await response.json();
    if (response.status === 402) words = Math.floor(words / 2);
    else if (!response.ok && response.status !== 429) throw new Error(`${response.status}: ${error.message}`);
  }
}
