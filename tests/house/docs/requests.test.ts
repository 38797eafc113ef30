import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readRedirect, redirectParameters } from '@/app/(sign-in)/auth/authorize/request';
import { microcredits } from '@/server/base/credits';
import { inTransaction } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { saveLimits } from '@/server/ledger';
import { allowRedirect, checkRedirect } from '@/server/people/authorize';
import { decideDevice } from '@/server/people/device-authorization';
import { newDatabase } from '../../harness';
import { startApi } from '../../harness/api-server';
import { readBlock } from '../../harness/blocks';
import { newPerson } from '../../harness/people';
import {
  allowLoopback,
  deliverDue,
  newListeningPartner,
  recordKey,
} from '../../partners/webhooks/hook-world';
import { startReceiver } from '../../partners/webhooks/receiver';
import { mint, newAppUser, newDevice, newPartner, registerRedirects } from '../../people/identity/app-world';
import { openMailbox } from '../../people/identity/mailbox';

/** The requests and responses in the guides: commands run as they are, and examples have the shape of real responses. */

allowLoopback();
await newDatabase();
const mailbox = await openMailbox();
const { url } = await startApi();
settings().BASE_URL = url;
const partner = await newPartner();
const { publishableKey } = partner;

/** The parts of a block that begin with a command each. */
const commandsOf = (block: string): string[] =>
  block.split(/^(?=curl )/m).filter((part) => /^curl /.test(part));

/** Runs a command that prints JSON, with what its reader fills in. */
async function run(command: string, given: Record<string, string> = {}, env = {}): Promise<unknown> {
  const filled = Object.entries(given).reduce(
    (text, [placeholder, value]) => {
      expect(text).toContain(placeholder);
      return text.replaceAll(placeholder, () => value);
    },
    command.replace('curl ', 'curl -s ').replaceAll('https://YOUR-SERVICE', url),
  );
  const variables = { PATH: process.env.PATH, BASE: url, NODE_ENV: 'test' as const, ...env };
  const { stdout } = await promisify(execFile)('sh', ['-c', filled], { env: variables });
  return JSON.parse(stdout);
}

/** The response that a block shows in its comment. */
const shownIn = (command: string): unknown =>
  JSON.parse(/^# (\{.*(?:\n# .*)*)/m.exec(command)?.[1]?.replaceAll('\n# ', '') ?? '');

/** The same fields with values of the same type. An empty object in an example stands for any. */
function expectShape(real: unknown, example: unknown, place = ''): void {
  if (typeof example === 'string') return expectText(real, example, place);
  if (typeof example !== 'object' || example === null) return expect([place, real]).toEqual([place, example]);
  const fields = Object.entries(example);
  if (fields.length > 0)
    expect([place, Object.keys(real as object).sort()]).toEqual([place, Object.keys(example).sort()]);
  for (const [name, value] of fields)
    expectShape((real as Record<string, unknown>)[name], value, `${place}.${name}`);
}

/** The same words, up to the first digit, ellipsis or code of each. */
function expectText(real: unknown, example: string, place: string): void {
  expect([place, typeof real]).toEqual([place, 'string']);
  const words = String(real).replaceAll(url, 'https://service').split(' ');
  const expected = example.replaceAll('https://YOUR-SERVICE', 'https://service').split(' ');
  const fixed = expected.map((word) => word.split(/\d|…|[A-Z]{4}-/)[0] ?? '');
  const begun = fixed.map((start, at) =>
    start === expected[at] ? words[at] : words[at]?.slice(0, start.length),
  );
  expect([place, words.length, ...begun]).toEqual([place, fixed.length, ...fixed]);
}

const key = (userKey: string) => ({ authorization: `Bearer ${userKey}` });

test('the commands of the sign-in guide send a code, verify it, and show the responses', async () => {
  const [send = '', verify = ''] = commandsOf(readBlock('docs/sign-in.md', '/v1/auth/send-code'));
  const sent = (await run(send, { 'svc_pk_…': publishableKey })) as { challenge_id: string };
  expectShape(sent, shownIn(send));
  await expect.poll(() => mailbox.lastCode()).not.toBe('');
  const filled = { 'svc_pk_…': publishableKey, 'ch_…': sent.challenge_id, '123456': mailbox.lastCode() };
  // The comment below the command has no placeholder of its own request.
  const signedIn = await run(verify, filled);
  expectShape(signedIn, { ...(shownIn(verify) as object), status: 'insufficient_credits' });
});

test('the address of the redirect signs in, and the command below exchanges its token', async () => {
  await registerRedirects(partner.id, ['myapp://signed-in']);
  const verifier = randomBytes(32).toString('base64url');
  const address = readBlock('docs/sign-in.md', '{base_url}/auth/authorize?')
    .replaceAll(/\s/g, '')
    .replace('{base_url}', url)
    .replace('svc_pk_…', publishableKey)
    .replace(/<base64urlof[^>]+>/, createHash('sha256').update(verifier).digest('base64url'))
    .replace(/<random[^>]+>/, 'mine');
  expect(address).not.toMatch(/[<>{}…]/);
  const query = redirectParameters.parse(Object.fromEntries(new URL(address).searchParams));
  const user = await newAppUser(partner.id);
  const { sessionId } = await newDevice(user.userId);
  const returned = await allowRedirect(await checkRedirect(readRedirect(query)), { ...user, sessionId });
  expect(returned).toMatch(/^myapp:\/\/signed-in\?token=svc_st_\w+&state=mine$/);
  const given = {
    'svc_pk_…': publishableKey,
    'svc_st_…': new URL(returned).searchParams.get('token') ?? '',
    '"code_verifier": "…"': `"code_verifier": "${verifier}"`,
  };
  const exchanged = await run(readBlock('docs/sign-in.md', 'curl $BASE/auth/token'), given);
  expect(exchanged).toMatchObject({ user_id: user.appUserId, token_type: 'Bearer' });
});

test('the commands of the terminals guide begin a sign-in and end it, and show the responses', async () => {
  const given = { 'svc_pk_…': publishableKey };
  const [begin = ''] = commandsOf(readBlock('docs/terminals.md', 'curl $BASE/oauth/device'));
  const begun = (await run(begin, given)) as { user_code: string; device_code: string };
  expectShape(begun, shownIn(begin));
  const user = await newAppUser(partner.id);
  const { sessionId } = await newDevice(user.userId);
  await decideDevice(begun.user_code, { ...user, sessionId, clientIp: '' }, 'allow');
  const end = readBlock('docs/terminals.md', 'curl $BASE/oauth/token');
  expectShape(await run(end, { ...given, 'svc_dc_…': begun.device_code }), shownIn(end));
});

test('the command of the keys guide revokes a key', async () => {
  const command = readBlock('docs/keys.md', '/v1/keys/revoke');
  const { userKey } = await mint(await newAppUser(partner.id));
  expectShape(await run(command, { 'svc_sk_…': userKey }), shownIn(command));
  expect((await fetch(`${url}/v1/credits/balance`, { headers: key(userKey) })).status).toBe(401);
});

test('a delivery and the list of events are as the webhook guide shows them', async () => {
  const receiver = await startReceiver();
  const { id, secret, ...app } = await newListeningPartner(receiver.url);
  const [first, second] = [await recordKey(id), await recordKey(id)];
  await deliverDue();
  const [head = '', body = ''] = readBlock('docs/webhooks.md', 'POST /svc HTTP/1.1').split('\n\n');
  const shown = [...head.matchAll(/^([\w-]+): (.+)$/gm)].map(([, name = '', value = '']) => [name, value]);
  expect(shown).toHaveLength(3);
  const [delivery] = receiver.received;
  for (const [name = '', value = ''] of shown)
    expectText(delivery?.headers[name.toLowerCase()], value.replace(/=\d.+/, '=…'), name);
  expectShape(JSON.parse(delivery?.body ?? ''), JSON.parse(body.replace('{…}', '{}')));

  const credentials = { SVC_PUBLISHABLE_KEY: app.publishableKey, SVC_WEBHOOK_SECRET: secret };
  const listed = await run(readBlock('docs/webhooks.md', 'curl -u'), { 'evt_…': first }, credentials);
  const example = JSON.parse(readBlock('docs/webhooks.md', '"has_more": false'));
  expectShape(listed, { ...example, data: [{ ...example.data[0], type: 'user_key.created' }] });
  expect(listed).toMatchObject({ data: [{ id: second }] });
});

async function refuse(userKey: string): Promise<unknown> {
  const body = { model: 'sandbox/echo', max_tokens: 200, messages: [{ role: 'user', content: 'hi' }] };
  const init = { method: 'POST', headers: key(userKey), body: JSON.stringify(body) };
  const response = await fetch(`${url}/v1/chat/completions`, init);
  expect(response.status).toBe(402);
  return response.json();
}

test('a 402 is as the guides show it, without credits and at a limit', async () => {
  const poor = await newPerson();
  expectShape(await refuse(poor.userKey), JSON.parse(readBlock('docs/terminals.md', '"action_url"')));
  const { userId, partnerId, userKey } = await newPerson({ credits: 100 });
  const limits = { request: null, day: microcredits(1n), week: null, month: null, models: null };
  await inTransaction((tx) => saveLimits(tx, { userId, partnerId, zone: 'Europe/Berlin', limits }));
  expectShape(await refuse(userKey), JSON.parse(readBlock('docs/limits.md', '"limits.app.day"')));
});

test('the tool of the clients guide searches the web', async () => {
  const { userKey } = await newPerson({ credits: 1_000 });
  const body = {
    model: 'sandbox-anthropic/story',
    max_tokens: 200,
    messages: [{ role: 'user', content: 'Tell me about the sea' }],
    tools: [JSON.parse(readBlock('docs/clients.md', 'web_search_20250305'))],
  };
  const init = { method: 'POST', headers: key(userKey), body: JSON.stringify(body) };
  const response = await fetch(`${url}/v1/messages`, init);
  expect([response.status, await response.text()]).toEqual([
    200,
    expect.stringContaining('web_search_tool_result'),
  ]);
});
