import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai';
import { afterAll, describe, expect, test } from 'vitest';
import { wholeCredits } from '@/server/base/credits';
import { inTransaction } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { readHistory } from '@/server/ledger';
import { createSvc } from '@/widget/loader/ai';
import { createSvcFetch, type Need } from '@/widget/loader/fetch';
import { newPerson, type Person } from '../../harness/people';
import { bookPaidSession } from '../../harness/purchases';
import { readReceipts } from '../../harness/receipts';
import { completion, completionStream, message } from '../../harness/scripted-responses';
import { CLAUDE, GPT, startClientWorld, upstreamName } from './world';

/** The SDKs with the `fetch` and the provider of the package, against the API. */

const { url, upstream } = await startClientWorld();

/** Passes requests on, and loses the first response of each run that asks for it. */
const wire = { loses: 0 };
const proxy = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers = Object.entries(request.headers).filter(
    ([name]) => !['host', 'connection', 'content-length', 'accept-encoding'].includes(name),
  ) as [string, string][];
  const body = Buffer.concat(chunks);
  const answer = await fetch(url + request.url, { method: 'POST', headers, body });
  const text = await answer.text();
  if (wire.loses-- > 0) return void response.destroy();
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(text);
});
await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
afterAll(() => void proxy.close());
const service = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;

async function buy({ userId, partnerId }: Person): Promise<void> {
  const order = { userId, partnerId, credits: wholeCredits(100), sessionId: newId('cks') };
  await inTransaction((tx) => bookPaidSession(tx, order));
}

/** Signs in when asked to, and buys when asked to. */
function openFetch(person: Person) {
  const needs: Need['status'][] = [];
  let key: string | null = null;
  const svcFetch = createSvcFetch({
    service,
    getUserKey: () => key,
    async onNeed({ status }) {
      needs.push(status);
      if (status === 401) key = person.userKey;
      else await buy(person);
      return true;
    },
  });
  return { svcFetch, needs };
}

type Ask = (svcFetch: typeof fetch) => Promise<string>;
const MESSAGES = [{ role: 'user' as const, content: 'Where?' }];
const apiKey = 'set by the fetch';

const SDKS: [string, string, Ask][] = [
  [
    'openai',
    GPT,
    async (svcFetch) => {
      const client = new OpenAI({ apiKey, baseURL: `${service}/v1`, fetch: svcFetch });
      const { choices } = await client.chat.completions.create({ model: GPT, messages: MESSAGES });
      return choices[0]?.message.content ?? '';
    },
  ],
  [
    '@anthropic-ai/sdk',
    CLAUDE,
    async (svcFetch) => {
      const client = new Anthropic({ apiKey, baseURL: service, fetch: svcFetch });
      const request = { model: CLAUDE, messages: MESSAGES, max_tokens: 100 };
      const { content } = await client.messages.create(request);
      return content[0]?.type === 'text' ? content[0].text : '';
    },
  ],
  [
    '@ai-sdk/openai',
    GPT,
    async (svcFetch) => {
      const openai = createOpenAI({ apiKey, baseURL: `${service}/v1`, fetch: svcFetch });
      return (await generateText({ model: openai.chat(GPT), prompt: 'Where?' })).text;
    },
  ],
  [
    '@ai-sdk/anthropic',
    CLAUDE,
    async (svcFetch) => {
      const anthropic = createAnthropic({ apiKey, baseURL: `${service}/v1`, fetch: svcFetch });
      return (await generateText({ model: anthropic(CLAUDE), prompt: 'Where?' })).text;
    },
  ],
  [
    'svc-checkout/ai',
    GPT,
    async (svcFetch) =>
      (await generateText({ model: createSvc({ service, fetch: svcFetch })(GPT), prompt: 'Where?' })).text,
  ],
];

describe.each(SDKS)('%s with createSvcFetch()', (_, model, ask) => {
  const name = upstreamName(model);
  const oslo = model === CLAUDE ? message([{ type: 'text', text: 'Oslo' }]) : completion({ content: 'Oslo' });

  test('asks for sign-in, then for credits, and gets its response for one charge', async () => {
    upstream.script(name, oslo);
    const person = await newPerson({ credits: 0 });
    const { svcFetch, needs } = openFetch(person);
    expect(await ask(svcFetch)).toBe('Oslo');
    expect(needs).toEqual([401, 402]);
    expect(await readReceipts(person.userId)).toHaveLength(1);
  });

  test('is charged once if its response is lost and it retries by itself', async () => {
    upstream.script(name, oslo);
    const person = await newPerson({ credits: 100 });
    const { svcFetch, needs } = openFetch(person);
    wire.loses = 1;
    expect(await ask(svcFetch)).toBe('Oslo');
    expect(needs).toEqual([401]);
    expect(upstream.seen(name)).toHaveLength(1);
    expect(await readReceipts(person.userId)).toHaveLength(1);
  });
});

describe('the provider of svc-checkout/ai', () => {
  async function readLastCharge({ userId, partnerId }: Person): Promise<number> {
    const { entries } = await readHistory({ userId, partnerId }, { limit: 1, offset: 0 });
    return -Number(entries[0]?.credits) / 1_000_000;
  }

  test.each(['whole', 'streamed'])('reports the charge of a %s response', async (way) => {
    const reply = way === 'whole' ? completion({ content: 'Oslo' }) : completionStream([{ content: 'Oslo' }]);
    upstream.script(upstreamName(GPT), reply);
    const person = await newPerson({ credits: 100 });
    const model = createSvc({ service: url, apiKey: person.userKey })(GPT);
    const request = { model, prompt: 'Where?' };
    const result = way === 'whole' ? await generateText(request) : streamText(request);
    expect(await result.text).toBe('Oslo');
    const credits = await readLastCharge(person);
    const { svc } = (await result.providerMetadata) ?? {};
    expect(svc).toEqual({ cost: credits / 100, credits });
  });
});
