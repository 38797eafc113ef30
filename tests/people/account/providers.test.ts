import { afterEach, describe, expect, test } from 'vitest';
import { setClock } from '@/server/base/clock';
import { ENDPOINTS } from '@/server/base/endpoints';
import { settings } from '@/server/base/env';
import { newId } from '@/server/base/ids';
import { keepUnanswered, writeUnanswered } from '@/server/gateway/counts/unanswered-requests';
import { DATA_POLICIES } from '@/server/gateway/providers/data-policies';
import { listKept } from '@/server/reports/account-data/kept';
import { findPolicy, listProvidersOf } from '@/server/reports/account-data/providers-of';
import { newDatabase } from '../../harness';
import { configureProviders } from '../../harness/custom-providers';
import { forge } from '../../ledger/forged-rows';
import { joinApp, newUser, recordRequest } from './person';

/** What users read about the providers of their requests, and about what is stored here. */

await newDatabase();
configureProviders('http://127.0.0.1:9', [
  { provider: 'acme', format: 'openai', dataPolicy: { retention: 'Not retained', region: 'Austria' } },
  { provider: 'silent', format: 'openai' },
]);
afterEach(() => setClock());

const attemptsOf = (...providers: string[]) =>
  providers.map((provider) => ({
    provider,
    model: `${provider}/m`,
    at: '2026-06-02T10:00:00.000Z',
    outcome: 'failed' as const,
  }));

const setAttempts = (requestId: string, ...providers: string[]) =>
  forge([
    `UPDATE ledger_transaction SET attempts = '${JSON.stringify(attemptsOf(...providers))}'
     WHERE id = 'txn_${requestId.slice(4)}'`,
  ]);

describe('the list of providers', () => {
  test('counts each request once for every provider that it was sent to, and names the first and last day', async () => {
    const userId = await newUser();
    const { partnerId } = await joinApp(userId, 'Notes');
    const record = (day: string, model: string) =>
      recordRequest(userId, { partnerId, at: `2026-06-${day}T10:00:00Z`, model });
    await record('01', 'openai/gpt-4.1');
    await setAttempts(await record('02', 'openai/gpt-4.1'), 'openai', 'openai', 'openrouter');
    // The provider of the model was in cooldown.
    await setAttempts(await record('03', 'openai/gpt-4.1'), 'openrouter');
    await setAttempts(await record('04', 'google/gemini'), 'openrouter');
    keepUnanswered({
      userId,
      partnerId,
      requestId: newId('req'),
      model: 'xai/grok',
      attempts: attemptsOf('xai', 'xai'),
      at: new Date('2026-06-05T10:00:00Z'),
    });
    await writeUnanswered();
    const seen = await listProvidersOf(userId);
    expect(seen.map(({ provider, requests, first, last }) => [provider, requests, first, last])).toEqual([
      ['openrouter', 3, '2026-06-02', '2026-06-04'],
      ['openai', 2, '2026-06-01', '2026-06-03'],
      ['xai', 1, '2026-06-05', '2026-06-05'],
    ]);
    expect(await listProvidersOf(await newUser())).toEqual([]);
  });
});

describe('what is said about a provider', () => {
  test('comes with the address where it says so, and the day on which it was read', () => {
    expect(Object.keys(DATA_POLICIES).sort()).toEqual(Object.keys(ENDPOINTS).sort());
    for (const { source, readOn, rules, ...said } of Object.values(DATA_POLICIES)) {
      expect(source !== null || rules.length === 0).toBe(true);
      expect(Object.values(said).some((text) => text !== null)).toBe(source !== null);
      expect(source === null).toBe(readOn === null);
      if (source !== null) expect(source).toMatch(/^https:\/\/[\w.]+\//);
      if (readOn !== null) expect(readOn).toMatch(/^\d{4}-\d\d-\d\d$/);
    }
    expect(findPolicy('anthropic')).toMatchObject({ by: 'provider', training: 'Not used for training' });
  });

  test('is unknown where no statement is known, and where the operator sends requests to another address', () => {
    for (const name of ['moonshot', 'silent', 'gone'])
      expect(findPolicy(name)).toMatchObject({ by: 'nobody', retention: null });
    const { OPENAI_BASE_URL } = settings();
    Object.assign(settings(), { OPENAI_BASE_URL: 'https://proxy.example/v1' });
    expect(findPolicy('openai')).toMatchObject({ by: 'nobody', retention: null });
    Object.assign(settings(), { OPENAI_BASE_URL });
    expect(findPolicy('openai').by).toBe('provider');
  });

  test('is the operator’s statement for their own servers, and that nothing leaves for a sandbox', () => {
    expect(findPolicy('acme')).toEqual({
      by: 'operator',
      retention: 'Not retained',
      training: null,
      region: 'Austria',
      source: null,
      readOn: null,
    });
    expect(findPolicy('sandbox').by).toBe('sandbox');
  });
});

test('what is stored here follows from the settings', () => {
  const untilOf = (what: RegExp) => listKept().find((kept) => what.test(kept.what))?.until;
  expect(untilOf(/refers to later/)).toBe('60 minutes after the last use');
  expect(untilOf(/ask for again/)).toBe('24 hours');
  Object.assign(settings(), { KEEP_RESPONSES_MINUTES: 0, KEEP_REPLAYS_HOURS: 0 });
  expect([untilOf(/refers to later/), untilOf(/ask for again/)]).toEqual(['Not stored', 'Not stored']);
});
