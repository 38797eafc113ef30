import type { PoolClient } from 'pg';
import { HOUR_MS, now } from '../clock';
import { checkUsers, findDifferences } from './check';
import { EARNINGS_INVARIANT } from './invariants';

/**
 * What an audit spends on history, however much there is. A small installation is checked as a whole each time;
 * a large one in turn.
 */
const USERS_BUDGET_MS = 500;
const EARNINGS_BUDGET_MS = 250;

const USERS_PER_STEP = 20;

export type HistoryAudit = {
  differences: string[];
  /** The last user checked; '' if there was time for all that remained. */
  scannedTo: string;
};

/** Checks the whole history of the next users, so that those who are not active are covered too. */
export async function auditNextUsers(client: PoolClient): Promise<HistoryAudit> {
  const { rows } = await client.query<{ scannedTo: string }>(
    'SELECT scanned_to AS "scannedTo" FROM audit_run ORDER BY id DESC LIMIT 1',
  );
  const audit: HistoryAudit = { differences: [], scannedTo: rows[0]?.scannedTo ?? '' };
  await repeatFor(USERS_BUDGET_MS, async () => {
    const users = await readUsersAfter(client, audit.scannedTo);
    if (users.length > 0) audit.differences.push(...(await checkUsers(client, users)));
    const isLast = users.length < USERS_PER_STEP;
    audit.scannedTo = isLast ? '' : (users.at(-1) ?? '');
    return !isLast;
  });
  return audit;
}

async function readUsersAfter(client: PoolClient, user: string): Promise<string[]> {
  const { rows } = await client.query<{ user_id: string }>(
    `(SELECT user_id FROM wallet WHERE user_id > $1 ORDER BY user_id LIMIT $2)
     UNION (SELECT DISTINCT user_id FROM user_app WHERE user_id > $1 ORDER BY user_id LIMIT $2)
     ORDER BY user_id LIMIT $2`,
    [user, USERS_PER_STEP],
  );
  return rows.map(({ user_id }) => user_id);
}

const HOURS = 24;

/** Checks the earnings of the last hours, newest first. */
export async function auditRecentEarnings(client: PoolClient): Promise<string[]> {
  const { rows } = await client.query<{ hour: Date }>("SELECT date_trunc('hour', clock_timestamp()) AS hour");
  const newest = rows[0]?.hour.getTime() ?? now();
  const differences: string[] = [];
  let hours = 0;
  await repeatFor(EARNINGS_BUDGET_MS, async () => {
    const hour = newest - hours++ * HOUR_MS;
    const period: [Date, Date] = [new Date(hour), new Date(hour + HOUR_MS)];
    differences.push(...(await findDifferences(client, [EARNINGS_INVARIANT], period)));
    return hours < HOURS;
  });
  return differences;
}

/** Takes steps, at least one, until none is left or the time is over. */
async function repeatFor(budgetMs: number, step: () => Promise<boolean>): Promise<void> {
  const deadline = now() + budgetMs;
  while ((await step()) && now() < deadline);
}
