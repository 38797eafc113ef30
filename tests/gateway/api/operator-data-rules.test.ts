import { expect, test } from 'vitest';
import { ALL_RULES, readRules } from '@/server/base/data-rules';
import { settings } from '@/server/base/env';
import { rulesMetBy } from '@/server/gateway/pricing/met-rules';
import { servedModels } from '@/server/gateway/pricing/served';
import { startApi } from '../../harness/api-server';
import { configureProviders, modelOf } from '../../harness/custom-providers';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';
import { completion } from '../../harness/scripted-responses';
import { startScriptedUpstream } from '../../harness/scripted-upstream';

/** What the operator requires of providers, and has agreed with them. */

process.env.DATA_RULES = 'no_training';
process.env.DATA_AGREEMENTS = 'agreed:no_training, agreed:region_eu,openai:no_retention';
await newDatabase();
const upstream = await startScriptedUpstream();
configureProviders(upstream.url, [
  { provider: 'loose', format: 'openai' },
  { provider: 'agreed', format: 'openai' },
]);
const api = await startApi();

test('the operator’s rule binds every app, and models that no provider may serve are not listed', async () => {
  const { userKey } = await newPerson({ credits: 10, rateBp: 0 });
  const ask = (provider: string) =>
    fetch(`${api.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${userKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: modelOf(provider),
        max_tokens: 50,
        messages: [{ role: 'user', content: 'Hello' }],
      }),
    });
  const refused = await ask('loose');
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({
    error: { type: 'model_not_allowed', param: 'data_rules.no_training' },
  });
  expect(upstream.seen('loose')).toEqual([]);
  upstream.script('agreed', completion({ content: 'Hello' }));
  expect((await ask('agreed')).status).toBe(200);
  const ids = servedModels().map(({ id }) => id);
  expect(ids).toContain(modelOf('agreed'));
  expect(ids).not.toContain(modelOf('loose'));
});

test('an agreement adds to what a provider says', () => {
  expect(readRules(rulesMetBy('agreed'))).toEqual(['no_training', 'region_eu']);
  expect(readRules(rulesMetBy('openai'))).toEqual(['no_training', 'no_retention']);
  expect(rulesMetBy('sandbox')).toBe(ALL_RULES);
});

test('what a provider says does not apply to another address', () => {
  const own = settings().ANTHROPIC_BASE_URL;
  expect(readRules(rulesMetBy('anthropic'))).toEqual(['no_training']);
  settings().ANTHROPIC_BASE_URL = 'http://127.0.0.1:9/v1';
  expect(readRules(rulesMetBy('anthropic'))).toEqual([]);
  settings().ANTHROPIC_BASE_URL = own;
});
