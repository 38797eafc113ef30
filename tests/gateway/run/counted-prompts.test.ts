import { expect, test } from 'vitest';
import { seededRandom } from '../../harness/random';
import { chargeOf, openHonestWorld, overrunLoss } from './honest-world';
import { type ApiRequest, Generator } from './random-requests';

/** Without trust in caches, what providers have counted never makes a hold smaller than the bill. */

process.env.CACHE_MISS_PERCENT = '0';
const { upstream, send } = await openHonestWorld();

const CASES = Number(process.env.CASES ?? 60);
const STEPS = 3;

test('the hold covers the bill of conversations that go on in any way @attack', {
  timeout: 120_000 + 400 * CASES,
}, async () => {
  const random = seededRandom();
  const generator = new Generator(random, 400);
  const problems: string[] = [];
  let continued = 0;
  for (let n = 0; n < CASES; n++) {
    let request = generator.request();
    for (let step = 0; step < STEPS; step++) {
      upstream.behave({ visibleTokens: 1 + Math.floor(random() * 50), cachedShare: random() });
      const { billed, receipt } = await send(request);
      if (receipt === null) break;
      if (step > 0) continued++;
      if (receipt.charge !== chargeOf(billed))
        problems.push(
          `${request.path}: charged ${receipt.charge} for ${chargeOf(billed)}, held ${receipt.held}`,
        );
      request = continueWith(request, generator);
    }
  }
  expect(problems).toEqual([]);
  expect(continued).toBeGreaterThan(CASES / 2);
  expect(await overrunLoss()).toBe(0n);
});

const CLAUDE = { model: 'anthropic/claude-sonnet-4-5', max_tokens: 100 };
const call = (id: string, more: object[] = []) => ({
  role: 'assistant',
  content: [...more, { type: 'tool_use', id, name: 'find_tools', input: {} }],
});
const result = (id: string, content: unknown) => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content }],
});

test('the hold covers a deferred tool that a later message makes the model read @attack', async () => {
  const tools = [
    { name: 'find_tools', input_schema: { type: 'object' } },
    {
      name: 'long',
      description: 'long words '.repeat(9_000),
      input_schema: { type: 'object' },
      defer_loading: true,
    },
  ];
  const messages: object[] = [{ role: 'user', content: 'Find a tool.' }];
  const path = '/v1/messages';
  expect(await sendExactly({ path, body: { ...CLAUDE, tools, messages } })).toBe(true);
  messages.push(call('a'), result('a', [{ type: 'tool_reference', tool_name: 'long' }]));
  expect(await sendExactly({ path, body: { ...CLAUDE, tools, messages } })).toBe(true);
});

test('the hold covers thoughts that an earlier step left out of the prompt @attack', async () => {
  const signature = Buffer.from('signed '.repeat(9_000)).toString('base64');
  const thinking = { type: 'thinking', thinking: 'thought '.repeat(20_000), signature };
  const body = {
    model: CLAUDE.model,
    reasoning_effort: 'high',
    messages: [
      { role: 'user', content: 'Think.' },
      { role: 'assistant', content: 'Done.', thinking_blocks: [thinking] },
      { role: 'user', content: 'Go on.' },
    ],
  };
  const path = '/v1/chat/completions';
  expect(await sendExactly({ path, body: { ...body, max_tokens: 100 } })).toBe(true);
  expect(await sendExactly({ path, body: { ...body, max_tokens: 1_500 } })).toBe(true);
});

async function sendExactly(request: ApiRequest): Promise<boolean> {
  upstream.behave({});
  const { billed, receipt } = await send(request);
  return receipt !== null && receipt.charge === chargeOf(billed);
}

/** The messages of another conversation follow. */
function continueWith({ path, body }: ApiRequest, generator: Generator): ApiRequest {
  let other = generator.request();
  while (other.path !== path) other = generator.request();
  const field = path === '/v1/responses' ? 'input' : 'messages';
  return { path, body: { ...body, [field]: [...listOf(body[field]), ...listOf(other.body[field])] } };
}

const listOf = (messages: unknown): unknown[] =>
  typeof messages === 'string' ? [{ role: 'user', content: messages }] : (messages as unknown[]);
