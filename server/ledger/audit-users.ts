import type { PoolClient } from 'pg';
import { auditPockets } from './audit-pockets';
import { recordDifferences } from './audit-run';
import { useIndexOnTime } from './check-bookings';
import { findDifferences } from './differences';
import { WALLET_INVARIANTS } from './invariants';
import { BONUS_INVARIANTS } from './promotion-invariants';
import { PURCHASE_INVARIANTS } from './purchase-invariants';
import type { Step } from './steps';

const ROWS_AT_ONCE = 250_000;
const USERS_PER_STEP = 1_000;

/**
 * Checks the pockets, the wallets and the payments of all users with bookings since the last audit. Their watermark moves
 * once all of them are checked, so an audit that ends early is repeated from there.
 */
export async function auditActiveUsers(
  step: Step,
  settled: string,
): Promise<{ users: number; differences: string[] }> {
  const checked = new Set<string>();
  const differences: string[] = [];
  for (let isLast = false; !isLast; ) {
    const active = await step((client) => findActive(client, settled));
    const found: string[] = [];
    for (let at = 0; at < active.users.length; at += USERS_PER_STEP) {
      const users = active.users.slice(at, at + USERS_PER_STEP);
      found.push(...(await step((client) => auditUsers(client, users))));
      for (const user of users) checked.add(user);
    }
    await step(async (client) => {
      await recordDifferences(client, found);
      await client.query("UPDATE watermark SET up_to = greatest(up_to, $1) WHERE name = 'audit_users'", [
        active.until,
      ]);
    });
    differences.push(...found);
    isLast = active.isLast;
  }
  return { users: checked.size, differences };
}

type Active = { users: string[]; until: string; isLast: boolean };

/** The last slice includes what is not settled yet, and the next audit begins with that again. */
async function findActive(client: PoolClient, settled: string): Promise<Active> {
  await useIndexOnTime(client);
  const { rows } = await client.query<Active>(
    `WITH slice AS MATERIALIZED (
       SELECT up_to AS since, until, until = $1 AS is_last FROM watermark
       CROSS JOIN LATERAL ledger_slice_end(up_to, $1, $2) AS until WHERE name = 'audit_users')
     SELECT ARRAY(SELECT DISTINCT user_id FROM ledger_transaction
                  WHERE created_at >= since AND created_at < CASE WHEN is_last THEN 'infinity' ELSE until END) AS users,
            until::text, is_last AS "isLast"
     FROM slice`,
    [settled, ROWS_AT_ONCE],
  );
  return rows[0] ?? { users: [], until: settled, isLast: true };
}

const auditUsers = async (client: PoolClient, users: string[]): Promise<string[]> => [
  ...(await auditPockets(client, users)),
  ...(await findDifferences(
    client,
    [...WALLET_INVARIANTS, ...PURCHASE_INVARIANTS, ...BONUS_INVARIANTS],
    [users],
  )),
];
