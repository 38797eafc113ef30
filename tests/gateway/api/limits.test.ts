import { afterEach, expect, test } from 'vitest';
import { wholeCredits } from '@/server/base/credits';
import { inTransaction } from '@/server/base/db';
import { endBackgroundReads } from '@/server/gateway/run/background-reads';
import { endStoppedRequests } from '@/server/gateway/run/cut-off';
import { runningGenerations } from '@/server/gateway/run/run';
import {
  ALL_APPS,
  checkLedger,
  type Limits,
  readHistory,
  removeLimits,
  saveLimits,
  stopSpending,
} from '@/server/ledger';
import { saveAppLimits, type UserLimits } from '@/server/partners/user-limits';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';
import { until } from '../../harness/until';

/** What an app receives when a limit or a stop of the user, or a limit of its partner, refuses its request. */

await newDatabase();
const api = await startApi();
const person = await newPerson({ credits: 1_000 });
const { userId, partnerId } = person;

afterEach(() =>
  inTransaction(async (tx) => {
    await removeLimits(tx, userId);
    await saveAppLimits(partnerId, NO_LIMITS, tx);
  }),
);

const NO_LIMITS = { request: null, day: null, month: null, models: null };
const limitUsers = (limits: Partial<UserLimits>) =>
  inTransaction((tx) => saveAppLimits(partnerId, { ...NO_LIMITS, ...limits }, tx));

const NONE: Limits = { request: null, day: null, week: null, month: null, models: null };
const limit = (limits: Partial<Limits>, of: string = partnerId) =>
  inTransaction((tx) =>
    saveLimits(tx, { userId, partnerId: of, zone: 'Europe/Berlin', limits: { ...NONE, ...limits } }),
  );
const stop = (of: string) => inTransaction((tx) => stopSpending(tx, { userId, partnerId: of }));

const headers = { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' };
const send = (model = 'sandbox/echo', rest: object = {}) =>
  fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      model,
      max_tokens: 200,
      messages: [{ role: 'user', content: 'Tell me about the sea' }],
      ...rest,
    }),
  });

type Refusal = { param: string; message: string; action_url?: string };

async function refusalOf(response: Response): Promise<Refusal> {
  const { error } = await response.json();
  expect([response.status, error.type]).toEqual([402, 'partner_limit_reached']);
  return error;
}

test.each([
  ['day', partnerId, 'limits.app.day', 'this app'],
  ['week', ALL_APPS, 'limits.all.week', 'all apps'],
  ['month', ALL_APPS, 'limits.all.month', 'all apps'],
] as const)(
  'a limit per %s that is reached is a 402 with its name and its reset',
  async (period, of, name, apps) => {
    expect((await send()).status).toBe(200);
    await limit({ [period]: wholeCredits(1) }, of);
    while ((await send()).ok);
    const { param, message } = await refusalOf(await send());
    expect(param).toBe(name);
    const [, resetsAt = ''] =
      new RegExp(
        `^The user's limit per ${period} for ${apps} is reached\\. It resets at (\\S+Z), and the user can raise it at http\\S+/account/limits\\.$`,
      ).exec(message) ?? [];
    const berlin = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', timeStyle: 'medium' });
    expect(berlin.format(new Date(resetsAt))).toBe('00:00:00');
  },
);

test('a request above the limit per request, and a model that is not allowed, are named', async () => {
  await limit({ request: wholeCredits(1) }, ALL_APPS);
  const long = 'Tell me about the sea. '.repeat(20_000);
  const response = await send('sandbox/echo', { messages: [{ role: 'user', content: long }] });
  expect((await refusalOf(response)).param).toBe('limits.all.request');

  await limit({ models: { rule: 'except', models: ['sandbox/echo'] } });
  expect((await refusalOf(await send())).param).toBe('limits.app.model');
  expect((await send('sandbox/story')).status).toBe(200);
});

test('a limit of the partner names itself and its reset, and no address, as the user cannot raise it', async () => {
  expect((await send()).status).toBe(200);
  await limitUsers({ day: wholeCredits(1), month: wholeCredits(500) });
  while ((await send()).ok);
  const refusal = await refusalOf(await send());
  expect(refusal).toMatchObject({ param: 'limits.partner.day', code: '402' });
  expect(refusal.message).toMatch(
    /^This app's limit per day for this user is reached\. It resets at \d{4}-\d\d-\d\dT00:00:00Z\. The user cannot raise it\.$/,
  );
  expect(refusal.action_url).toBeUndefined();
  const balance = await (await fetch(`${api.url}/v1/credits/balance`, { headers })).json();
  expect(balance).toMatchObject({ status: 'partner_limit_reached' });
  expect(balance.balance).toBeLessThan(1);

  await limitUsers({ request: wholeCredits(1), models: { rule: 'except', models: ['sandbox/echo'] } });
  expect((await refusalOf(await send())).param).toBe('limits.partner.model');
  const long = 'Tell me about the sea. '.repeat(20_000);
  const large = await send('sandbox/story', { messages: [{ role: 'user', content: long }] });
  expect((await refusalOf(large)).param).toBe('limits.partner.request');
  expect((await send('sandbox/story')).status).toBe(200);
});

test('the balance is what the limits leave, and its status is the code of the refusal', async () => {
  const balance = async () => (await fetch(`${api.url}/v1/credits/balance`, { headers })).json();
  await limit({ day: wholeCredits(500) });
  expect(await balance()).toMatchObject({ status: 'ok' });
  expect((await balance()).balance).toBeLessThanOrEqual(500);
  await stop(ALL_APPS);
  expect(await balance()).toMatchObject({ balance: 0, status: 'partner_limit_reached' });
});

test.each([
  [partnerId, 'limits.app.stop'],
  [ALL_APPS, 'limits.all.stop'],
])('a stop refuses the next request, and ends a running stream with the same error', async (of, name) => {
  const response = await send('sandbox/stall', { stream: true });
  expect(runningGenerations()).toBe(1);
  await endStoppedRequests();
  expect(runningGenerations()).toBe(1);
  await stop(of);
  expect((await refusalOf(await send())).param).toBe(name);

  await endStoppedRequests();
  expect(await response.text()).toMatch(
    new RegExp(
      `\\n\\ndata: \\{"error":\\{"message":"The user has stopped .*","param":"${name}".*\\}\\}\\n\\n$`,
    ),
  );
  // The provider bills on, so its response is read in the background.
  endBackgroundReads();
  await until(
    async () => runningGenerations(),
    (running) => running === 0,
  );
  const { entries } = await readHistory(person, { limit: 1, offset: 0 });
  expect(entries[0]?.credits).toBeLessThan(0n);
  expect((await checkLedger()).differences).toEqual([]);
});

test('a stop ends a request that has not been answered yet', async () => {
  const response = send('sandbox/slow');
  await until(
    async () => runningGenerations(),
    (running) => running === 1,
  );
  await stop(ALL_APPS);
  await endStoppedRequests();
  expect((await refusalOf(await response)).param).toBe('limits.all.stop');
});
