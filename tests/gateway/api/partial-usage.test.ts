import { afterEach, expect, test } from 'vitest';
import { now, setClock } from '@/server/base/clock';
import type { Json } from '@/server/gateway/protocols/neutral';
import { checkLedger } from '@/server/ledger';
import { startApi } from '../../harness/api-server';
import { configureProviders, modelOf } from '../../harness/custom-providers';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';
import { readReceipts } from '../../harness/receipts';
import { completion, completionStream, message, messageStream } from '../../harness/scripted-responses';
import { type Reply, startScriptedUpstream } from '../../harness/scripted-upstream';

/** Usage that a provider reports in part: what follows from the rest is charged, and what is unknown is not free. */

await newDatabase();
const upstream = await startScriptedUpstream();
configureProviders(upstream.url, [
  { provider: 'chatty', format: 'openai' },
  { provider: 'claude', format: 'anthropic' },
]);
const api = await startApi();
afterEach(() => setClock());

const ENDPOINTS: Record<string, Json> = {
  '/v1/chat/completions': { messages: [{ role: 'user', content: 'hi' }], max_tokens: 8_000 },
  '/v1/messages': { messages: [{ role: 'user', content: 'hi' }], max_tokens: 8_000 },
  '/v1/responses': { input: 'hi', max_output_tokens: 8_000 },
};

async function send(provider: string, path: string, isStream: boolean) {
  const person = await newPerson({ credits: 100, rateBp: 0 });
  const response = await fetch(api.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}` },
    body: JSON.stringify({ ...ENDPOINTS[path], model: modelOf(provider), stream: isStream }),
  });
  const text = await response.text();
  const [receipt] = await readReceipts(person.userId);
  return { status: response.status, text, receipt };
}

const hidden: Json = { prompt_tokens: 20, total_tokens: 7_020 };

/** A model that reasoned until its limit: nothing is visible. */
function reasonedOnly(usage: Json | undefined, isStream: boolean): Reply {
  const reply = isStream ? completionStream([], 'length') : completion({}, 'length');
  const replace = (json: unknown) =>
    typeof json === 'object' && json !== null && 'usage' in json ? { ...json, usage } : json;
  return isStream
    ? { events: (reply.events ?? []).map((event) => replace(event) as Json) }
    : { body: replace(reply.body) };
}

test.each(
  Object.keys(ENDPOINTS).flatMap((path) => [
    [path, false],
    [path, true],
  ]) as [string, boolean][],
)('output that only the total shows is charged and reported (%s, stream: %s)', async (path, isStream) => {
  upstream.script('chatty', reasonedOnly(hidden, isStream));
  const { status, text, receipt } = await send('chatty', path, isStream);
  expect(status).toBe(200);
  expect(receipt).toMatchObject({ inputTokens: 20, outputTokens: 7_000, estimated: false });
  if (!isStream || path !== '/v1/chat/completions') expect(text).toContain('7000');
});

/** Each reading of the clock is a second later, as if the model had taken that long. */
function letTimePass() {
  const start = now();
  let readings = 0;
  setClock(() => start + 1_000 * readings++);
}

test.each([
  ['chatty', '/v1/chat/completions', false, reasonedOnly(undefined, false)],
  ['chatty', '/v1/chat/completions', true, reasonedOnly(undefined, true)],
  ['chatty', '/v1/messages', false, reasonedOnly({ prompt_tokens: 20 }, false)],
  ['chatty', '/v1/messages', true, reasonedOnly({ prompt_tokens: 20 }, true)],
  ['chatty', '/v1/responses', false, reasonedOnly({}, false)],
] as const)(
  '%s on %s: a model that may have reasoned unseen is not free without any report (stream: %s)',
  async (provider, path, isStream, reply) => {
    upstream.script(provider, reply);
    letTimePass();
    const { status, receipt } = await send(provider, path, isStream);
    expect(status).toBe(200);
    expect(receipt).toMatchObject({ estimated: true });
    expect(receipt?.outputTokens).toBeGreaterThanOrEqual(500);
    expect(receipt?.outputTokens).toBeLessThanOrEqual(8_000);
  },
);

test.each(['/v1/messages', '/v1/chat/completions'])(
  'zeros at the end of a stream replace nothing (%s)',
  async (path) => {
    const reply = messageStream([{ type: 'text', text: 'Hello' }]);
    const usages: Record<string, Json> = {
      message_start: { input_tokens: 15_000, output_tokens: 1 },
      message_delta: { input_tokens: 0, output_tokens: 16 },
    };
    const events = (reply.events as Json[]).map((event) => {
      const usage = usages[String(event.type)];
      return event.type === 'message_start'
        ? { ...event, message: { ...(event.message as Json), usage } }
        : { ...event, ...(usage && { usage }) };
    });
    upstream.script('claude', { events });
    const { text, receipt } = await send('claude', path, true);
    expect(receipt).toMatchObject({ inputTokens: 15_000, outputTokens: 16, estimated: false });
    if (path === '/v1/messages') expect(text).not.toContain('"input_tokens":0');
  },
);

test('zeros after the usage of a chat stream replace nothing', async () => {
  const reply = completionStream([{ content: 'Hello' }]);
  const usage = { prompt_tokens: 9_000, completion_tokens: 2_000, total_tokens: 11_000 };
  const [first, ...rest] = reply.events as Json[];
  const zeros = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  upstream.script('chatty', {
    events: [{ ...first, usage }, ...rest.map((event) => (event.usage ? { ...event, usage: zeros } : event))],
  });
  const { receipt } = await send('chatty', '/v1/chat/completions', true);
  expect(receipt).toMatchObject({ inputTokens: 9_000, outputTokens: 2_000, estimated: false });
});

test('a whole message without its output is no less than what it shows', async () => {
  upstream.script(
    'claude',
    message([{ type: 'text', text: 'Hello' }], 'end_turn', {
      usage: { input_tokens: 20, output_tokens_details: { thinking_tokens: 900 } },
    }),
  );
  const { text, receipt } = await send('claude', '/v1/messages', false);
  expect(receipt).toMatchObject({
    inputTokens: 20,
    outputTokens: 900,
    reasoningTokens: 900,
    estimated: true,
  });
  expect(JSON.parse(text).usage).toMatchObject({ input_tokens: 20, output_tokens: 900 });
});

test('the ledger has no differences after all of these requests', async () => {
  expect((await checkLedger()).differences).toEqual([]);
});
