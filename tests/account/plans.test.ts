import { beforeAll, expect, test } from 'vitest';
import { readPeriod } from '@/server/activity/periods';
import {
  listUsedApps,
  readLatestRequests,
  readRequestPage,
  streamRequests,
} from '@/server/activity/user-activity';
import { findUserReceipt } from '@/server/activity/user-receipt';
import { pool, prisma } from '@/server/db';
import { readPockets, readUsageDays } from '@/server/ledger';
import { newYearDatabase } from '../year/database';
import { YEAR_HEAVY_USER } from '../year/people';

/** On a year of activity, for the person with the longest lists. */

await newYearDatabase();

const MOST_MS = 100;
const TRIES = 3;

type Plan = { 'Node Type': string; 'Relation Name'?: string; Plans?: Plan[] };
type Explained = { 'QUERY PLAN': { Plan: Plan; 'Execution Time': number }[] };
type Statement = { text: string; values: unknown[] };

let userId = '';
beforeAll(async () => {
  ({ id: userId } = await prisma().user.findUniqueOrThrow({ where: { email: YEAR_HEAVY_USER } }));
});

/** What the work asks of the database. */
async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  const hot = pool();
  const query = hot.query.bind(hot) as (...given: unknown[]) => unknown;
  hot.query = ((given: string | { text: string; values: unknown[] }, values: unknown[] = []) => {
    statements.push(typeof given === 'string' ? { text: given, values } : given);
    return query(given, values);
  }) as typeof hot.query;
  try {
    await work();
  } finally {
    hot.query = query as typeof hot.query;
  }
  return statements;
}

async function explain({ text, values }: Statement): Promise<{ ms: number; scanned: string[] }> {
  const runs: { ms: number; scanned: string[] }[] = [];
  for (let i = 0; i < TRIES; i++) {
    const { rows } = await pool().query<Explained>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values);
    const explained = rows[0]?.['QUERY PLAN'][0];
    if (explained) runs.push({ ms: explained['Execution Time'], scanned: readWhole(explained.Plan) });
  }
  // The best of a few: other work on the machine is not the query's.
  return runs.reduce((best, run) => (run.ms < best.ms ? run : best));
}

/** The tables that the plan reads from end to end. */
function readWhole(plan: Plan): string[] {
  const inside = (plan.Plans ?? []).flatMap(readWhole);
  return plan['Node Type'] === 'Seq Scan' ? [plan['Relation Name'] ?? '', ...inside] : inside;
}

const year = readPeriod('12m');
const MODEL = 'anthropic/claude-opus-5';

const PAGES: Record<string, () => Promise<unknown>> = {
  'the wallet': () => readPockets(userId),
  'the apps': () => listUsedApps(userId),
  'a year by day': () => readUsageDays(userId, year),
  'the latest requests': () => readLatestRequests(userId, 5),
  'the first page of a year': () => pageAt(0),
  'the last pages of a year': () => pageAt(15_000),
  'a page of one model': () => pageAt(0, MODEL),
  'a portion of the export': async () => (await streamRequests(userId, year).next()).value,
  'a receipt': async () => {
    const [latest] = await readLatestRequests(userId, 1);
    return findUserReceipt(userId, latest?.requestId ?? '');
  },
};

async function pageAt(offset: number, model?: string): Promise<unknown> {
  const filter = { ...year, model };
  const lines = await readRequestPage(userId, filter, await readUsageDays(userId, filter), {
    offset,
    limit: 50,
  });
  expect(lines).toHaveLength(50);
  return lines;
}

test.each(Object.entries(PAGES))(
  '%s: no query takes 100 ms or reads the receipts end to end',
  async (_, work) => {
    const statements = await statementsOf(work);
    expect(statements.length).toBeGreaterThan(0);
    for (const statement of statements) {
      const { ms, scanned } = await explain(statement);
      expect(scanned, statement.text).not.toContain('usage');
      expect(scanned, statement.text).not.toContain('ledger_transaction');
      expect(ms, statement.text).toBeLessThan(MOST_MS);
    }
  },
);
