import { expect, test } from 'vitest';
import { NO_RULES, type RuleSet, writeRules } from '@/server/base/data-rules';
import { prisma } from '@/server/base/db';
import { checkLedger } from '@/server/ledger';
import { setDataRules } from '@/server/partners/partner';
import { saveUserDataRules } from '@/server/people/data-rules';
import { startApi } from '../../harness/api-server';
import { configureProviders, modelOf } from '../../harness/custom-providers';
import { newDatabase } from '../../harness/database';
import { newPerson, type Person } from '../../harness/people';
import { completion } from '../../harness/scripted-responses';
import { startScriptedUpstream } from '../../harness/scripted-upstream';

/** What users and apps require of providers binds every request. */

await newDatabase();
const upstream = await startScriptedUpstream();
configureProviders(upstream.url, [
  { provider: 'loose', format: 'openai' },
  { provider: 'claude', format: 'anthropic' },
  { provider: 'strict', format: 'openai', dataPolicy: { rules: ['no_training', 'no_retention'] } },
  { provider: 'vienna', format: 'openai', dataPolicy: { rules: ['no_training', 'region_eu'] } },
  { provider: 'covered', format: 'openai', fallbacks: ['loose', 'strict'] },
  {
    provider: 'uncovered',
    format: 'openai',
    fallbacks: ['loose'],
    dataPolicy: { rules: ['no_training'] },
  },
]);
const api = await startApi();

const NO_TRAINING = writeRules(['no_training']);
const NO_RETENTION = writeRules(['no_retention']);
const IN_EU = writeRules(['region_eu']);

const newBuyer = () => newPerson({ credits: 100, rateBp: 0 });

function post(person: Person, path: string, body: object): Promise<Response> {
  return fetch(`${api.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const bodyFor = (provider: string) => ({
  model: modelOf(provider),
  max_tokens: 50,
  messages: [{ role: 'user', content: 'Hello' }],
});
const ask = (person: Person, provider: string) => post(person, '/v1/chat/completions', bodyFor(provider));
const answer = (provider: string, times = 1) =>
  upstream.script(provider, ...Array.from({ length: times }, () => completion({ content: 'Hello' })));

async function readReceipt(person: Person, response: Response) {
  const id = response.headers.get('x-request-id');
  const receipt = await fetch(`${api.url}/v1/credits/receipts/${id}`, {
    headers: { authorization: `Bearer ${person.userKey}` },
  });
  return (await receipt.json()) as {
    provider: string;
    data_rules: string[];
    attempts: { provider: string }[] | null;
  };
}

async function refusalOf(response: Response) {
  const { error } = (await response.json()) as { error: { type: string; param: string; message: string } };
  return [response.status, error.type, error.param];
}

const holdsOf = ({ userId }: Person) => prisma().hold.count({ where: { userId, kept: false } });

test('a user’s rule refuses a model whose provider does not meet it, and names the rule', async () => {
  const person = await newBuyer();
  await saveUserDataRules(person.userId, NO_TRAINING);
  const before = upstream.seen('loose').length;
  expect(await refusalOf(await ask(person, 'loose'))).toEqual([
    403,
    'model_not_allowed',
    'data_rules.no_training',
  ]);
  expect(upstream.seen('loose')).toHaveLength(before);
  expect(await holdsOf(person)).toBe(0);
});

test('the rules of the user and of the app add up, and the receipt lists both', async () => {
  const person = await newBuyer();
  await saveUserDataRules(person.userId, NO_RETENTION);
  await setDataRules(person.partnerId, NO_TRAINING);
  expect(await refusalOf(await ask(person, 'vienna'))).toEqual([
    403,
    'model_not_allowed',
    'data_rules.no_retention',
  ]);
  answer('strict');
  const response = await ask(person, 'strict');
  expect(response.status).toBe(200);
  expect(await readReceipt(person, response)).toMatchObject({
    provider: 'strict',
    data_rules: ['no_training', 'no_retention'],
  });
  await setDataRules(person.partnerId, IN_EU);
  expect(await refusalOf(await ask(person, 'strict'))).toEqual([
    403,
    'model_not_allowed',
    'data_rules.region_eu',
  ]);
});

test('a fallback that meets the rules serves the request in place of a provider that does not', async () => {
  const person = await newBuyer();
  await saveUserDataRules(person.userId, NO_TRAINING);
  answer('strict');
  const response = await ask(person, 'covered');
  expect(response.status).toBe(200);
  const { provider, attempts } = await readReceipt(person, response);
  expect(provider).toBe('strict');
  expect(attempts?.map((attempt) => attempt.provider)).toEqual(['strict']);
  expect(upstream.seen('covered')).toEqual([]);
});

test('a failed request is never repeated at a fallback that does not meet the rules', async () => {
  const person = await newBuyer();
  await saveUserDataRules(person.userId, NO_TRAINING);
  const failure = { status: 500, body: { error: { message: 'failed' } } };
  upstream.script('uncovered', failure, failure);
  const before = upstream.seen('loose').length;
  expect((await ask(person, 'uncovered')).status).toBe(502);
  expect(upstream.seen('loose')).toHaveLength(before);
});

test('a rule applies to the next request, also where a hold is kept for it', async () => {
  const person = await newBuyer();
  answer('loose', 5);
  for (let n = 0; n < 5; n++) expect((await ask(person, 'loose')).status).toBe(200);
  expect(await prisma().hold.count({ where: { userId: person.userId, kept: true } })).toBe(1);
  await saveUserDataRules(person.userId, NO_TRAINING);
  expect((await ask(person, 'loose')).status).toBe(403);
  answer('strict', 3);
  for (let n = 0; n < 3; n++) {
    const response = await ask(person, 'strict');
    expect(response.status).toBe(200);
    expect((await readReceipt(person, response)).data_rules).toEqual(['no_training']);
  }
  await saveUserDataRules(person.userId, NO_RULES);
  answer('loose');
  const response = await ask(person, 'loose');
  expect(response.status).toBe(200);
  expect((await readReceipt(person, response)).data_rules).toEqual([]);
});

test('an app cannot have a prompt stored at a provider against the rule that nothing is retained @attack', async () => {
  const person = await newBuyer();
  answer('strict', 2);
  const asking = { ...bodyFor('strict'), prompt_cache_retention: '24h' };
  const retentionSeen = () => upstream.seen('strict').at(-1)?.body.prompt_cache_retention;
  await post(person, '/v1/chat/completions', asking);
  expect(retentionSeen()).toBe('24h');
  await saveUserDataRules(person.userId, NO_RETENTION);
  const response = await post(person, '/v1/chat/completions', asking);
  expect(response.status).toBe(200);
  expect(retentionSeen()).toBeUndefined();
  expect(response.headers.get('x-svc-warnings')).toBe('prompt_cache_retention was dropped');
});

test('tokens are neither counted nor quoted at a provider that does not meet the rules', async () => {
  const person = await newBuyer();
  await setDataRules(person.partnerId, NO_TRAINING);
  const before = upstream.seen('claude').length;
  const counted = await post(person, '/v1/messages/count_tokens', bodyFor('claude'));
  expect(await refusalOf(counted)).toEqual([403, 'model_not_allowed', 'data_rules.no_training']);
  const quoted = await post(person, '/v1/credits/quote', {
    endpoint: '/v1/messages',
    request: bodyFor('claude'),
  });
  expect(await refusalOf(quoted)).toEqual([403, 'model_not_allowed', 'data_rules.no_training']);
  expect(upstream.seen('claude')).toHaveLength(before);
});

test('the list of models says which rules a provider meets, and can be limited to some', async () => {
  const list = async (query: string) => {
    const response = await fetch(`${api.url}/v1/models${query}`);
    const { data } = (await response.json()) as { data: { id: string; data_rules: string[] }[] };
    return data.filter(({ id }) => !id.startsWith('sandbox'));
  };
  const all = await list('');
  expect(all.find(({ id }) => id === modelOf('vienna'))?.data_rules).toEqual(['no_training', 'region_eu']);
  expect(all.find(({ id }) => id === modelOf('loose'))?.data_rules).toEqual([]);
  const ids = (await list('?data_rules=no_training,no_retention')).map(({ id }) => id);
  expect(ids.sort()).toEqual(['covered', 'strict'].map(modelOf));
  const bad = await fetch(`${api.url}/v1/models?data_rules=no_taxes`);
  expect(await refusalOf(bad)).toEqual([400, 'invalid_request', 'data_rules']);
});

test('the estimate of an app omits the models that its rules exclude', async () => {
  const person = await newBuyer();
  await setDataRules(person.partnerId, IN_EU);
  const url = `${api.url}/v1/credits/pricing?publishable_key=${person.publishableKey}`;
  const { models } = (await (await fetch(url)).json()) as { models: { id: string }[] };
  expect(models.map(({ id }) => id).filter((id) => !id.startsWith('sandbox'))).toEqual([modelOf('vienna')]);
});

test('while rules change under load, no provider serves a request whose receipt lists a rule that it does not meet', async () => {
  const person = await newBuyer();
  const rounds = 20;
  answer('loose', rounds * 8);
  const change = (rules: RuleSet) => saveUserDataRules(person.userId, rules);
  const responses: Response[] = [];
  for (let round = 0; round < rounds; round++) {
    const asked = Array.from({ length: 8 }, () => ask(person, 'loose'));
    const [, ...answers] = await Promise.all([change(round % 2 === 0 ? NO_TRAINING : NO_RULES), ...asked]);
    responses.push(...answers);
  }
  const statuses = new Set(responses.map(({ status }) => status));
  expect([...statuses].sort()).toEqual([200, 403]);
  const receipts = await prisma().ledgerTransaction.findMany({
    where: { userId: person.userId, kind: 'usage' },
    select: { dataRules: true },
  });
  expect(receipts).toHaveLength(responses.filter(({ status }) => status === 200).length);
  expect(receipts.every(({ dataRules }) => dataRules === null)).toBe(true);
  expect(await checkLedger()).toMatchObject({ differences: [] });
});
