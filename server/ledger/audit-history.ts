import type { PoolClient } from 'pg';
import { HOUR_MS, now } from '../clock';
import { checkTeams, checkUsers, findDifferences } from './check';
import { EARNINGS_INVARIANT } from './invariants';

/**
 * What an audit spends on history, however much there is. A small installation is checked as a whole each time;
 * a large one in turn.
 */
const USERS_BUDGET_MS = 500;
const TEAMS_BUDGET_MS = 250;
const EARNINGS_BUDGET_MS = 250;

export type HistoryAudit = {
  differences: string[];
  /** The last user and the last team checked; '' if there was time for all that remained. */
  usersScannedTo: string;
  teamsScannedTo: string;
};

/** Checks the whole history of the next users and teams, so that those who are not active are covered too. */
export async function auditHistory(client: PoolClient): Promise<HistoryAudit> {
  const { rows } = await client.query<{ user: string; team: string }>(
    'SELECT scanned_to AS user, teams_scanned_to AS team FROM audit_run ORDER BY id DESC LIMIT 1',
  );
  const users = await auditInTurn(client, USERS, rows[0]?.user ?? '');
  const teams = await auditInTurn(client, TEAMS, rows[0]?.team ?? '');
  return {
    differences: [...users.differences, ...teams.differences],
    usersScannedTo: users.scannedTo,
    teamsScannedTo: teams.scannedTo,
  };
}

/** `next` selects ids after `$1`, at most `$2`. */
type Turn = {
  budgetMs: number;
  atOnce: number;
  next: string;
  check: (client: PoolClient, ids: string[]) => Promise<string[]>;
};

const USERS: Turn = {
  budgetMs: USERS_BUDGET_MS,
  atOnce: 20,
  next: `(SELECT user_id AS id FROM wallet WHERE user_id > $1 ORDER BY user_id LIMIT $2)
    UNION (SELECT DISTINCT user_id FROM user_app WHERE user_id > $1 ORDER BY user_id LIMIT $2)
    ORDER BY id LIMIT $2`,
  check: checkUsers,
};

const TEAMS: Turn = {
  budgetMs: TEAMS_BUDGET_MS,
  atOnce: 5,
  next: 'SELECT id FROM team WHERE id > $1 ORDER BY id LIMIT $2',
  check: checkTeams,
};

async function auditInTurn(
  client: PoolClient,
  { budgetMs, atOnce, next, check }: Turn,
  after: string,
): Promise<{ differences: string[]; scannedTo: string }> {
  const differences: string[] = [];
  let scannedTo = after;
  await repeatFor(budgetMs, async () => {
    const { rows } = await client.query<{ id: string }>(next, [scannedTo, atOnce]);
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0) differences.push(...(await check(client, ids)));
    const isLast = ids.length < atOnce;
    scannedTo = isLast ? '' : (ids.at(-1) ?? '');
    return !isLast;
  });
  return { differences, scannedTo };
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
