import { expect, it } from 'vitest';
import {
  readByModel,
  readByPartner,
  readByProvider,
  readDays,
  readMoney,
  readRefusals,
} from '@/server/activity/install-activity';
import { readPeriod } from '@/server/activity/periods';
import { pool } from '@/server/db';
import { listProviders } from '@/server/operator/providers';
import { readServiceState, readWebhookHealth } from '@/server/operator/state';
import { newYearDatabase } from '../year/database';

await newYearDatabase();

const MOST_MS = 100;
const TRIES = 3;

type Query = { text: string; values: unknown[] };

/** What is asked of the database while `work` runs. */
async function queriesOf(work: () => Promise<unknown>): Promise<Query[]> {
  const asked: Query[] = [];
  const target = pool();
  const query = target.query;
  target.query = ((text: string, values: unknown[] = []) => {
    asked.push({ text, values });
    return Reflect.apply(query, target, [text, values]);
  }) as typeof target.query;
  await work();
  target.query = query;
  return asked;
}

/** The best of a few: the machine may be busy with something else. */
async function executionMs({ text, values }: Query): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let n = 0; n < TRIES; n++) {
    const { rows } = await pool().query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values);
    const [plan] = rows[0]['QUERY PLAN'] as { 'Execution Time': number }[];
    best = Math.min(best, plan?.['Execution Time'] ?? best);
  }
  return best;
}

const year = readPeriod('12m');

it.each([
  ['days', () => readDays(year)],
  ['apps', () => readByPartner(year)],
  ['models', () => readByModel(year, 8)],
  ['providers of a year', () => readByProvider(year)],
  ['money', () => readMoney(year)],
  ['refusals', () => readRefusals(year)],
  ['state', readServiceState],
  ['webhooks', readWebhookHealth],
  ['providers', listProviders],
])(`of a year, the console reads %s in less than ${MOST_MS} ms a query`, async (_, work) => {
  const queries = await queriesOf(work);
  expect(queries).not.toEqual([]);
  for (const query of queries) expect(await executionMs(query), query.text).toBeLessThan(MOST_MS);
});
