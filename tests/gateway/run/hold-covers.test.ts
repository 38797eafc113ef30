import { expect, test } from 'vitest';
import { configureVendors } from '../../harness/honest/upstream';
import { seededRandom } from '../../harness/random';
import { billOf, planAndPrepare } from './plan-and-prepare';
import { type ApiRequest, Generator } from './random-requests';

/** The hold of any request covers what an honest provider bills for the body that it would receive. */

configureVendors('http://127.0.0.1:9');

/** More with CASES=10000. */
const CASES = Number(process.env.CASES ?? 3_000);
const LONGEST_TEXT = 240;

test('the hold covers the bill of random requests', { timeout: 120_000 + 40 * CASES }, async () => {
  const generator = new Generator(seededRandom(), LONGEST_TEXT);
  const outcomes = { held: 0, refused: 0 };
  for (let n = 0; n < CASES; n++) {
    const request = generator.request();
    outcomes[await check(request)]++;
  }
  expect(outcomes.held).toBeGreaterThan(CASES / 4);
});

async function check(request: ApiRequest): Promise<'held' | 'refused'> {
  const held = await planAndPrepare(request);
  if (held === null) return 'refused';
  const { plan, tokens } = held;
  const bill = billOf(held, plan.choices * plan.outputCap);
  if (plan.want < bill)
    throw new Error(
      `A hold of ${plan.want} does not cover a bill of ${bill} (${tokens} tokens): ${shorten(JSON.stringify(request.body))}`,
    );
  return 'held';
}

test.each(['required', { type: 'function', function: { name: 'tool0' } }])(
  'the hold covers a call that is written by the schema of its tools: %j',
  async (tool_choice) => {
    const property = { type: 'string', description: 'A word of the prompt, as it is. '.repeat(50) };
    const tools = Array.from({ length: 20 }, (_, i) => ({
      type: 'function',
      function: {
        name: `tool${i}`,
        parameters: { type: 'object', properties: { [`p${i}`]: property }, required: [`p${i}`] },
      },
    }));
    const messages = [{ role: 'user', content: 'Hi' }];
    const body = { model: 'anthropic/claude-opus-5-5', messages, tools, tool_choice };
    expect(await check({ path: '/v1/chat/completions', body } as ApiRequest)).toBe('held');
  },
);

const shorten = (text: string): string => (text.length > 3_000 ? `${text.slice(0, 3_000)}…` : text);
