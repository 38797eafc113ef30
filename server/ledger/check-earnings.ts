import type { PoolClient } from 'pg';
import { useIndexOnTime } from './check-bookings';
import { findDifferences } from './differences';
import { EARNINGS_INVARIANT } from './invariants';

/** Postings to partners take a tenth of the time that the other checks of a transaction take. */
const ROWS_PER_STEP = 25_000;

/** Whole hours, from `from` to before `to`. */
type Period = { from: string; to: string };

/** Takes the next step of a check. Null while there is more to add up. */
export type EarningsCheck = (client: PoolClient) => Promise<string[] | null>;

/**
 * Compares the earnings of a period with its postings. Postings before the watermark of the roll-up no longer change, so
 * they are added up step by step; the last step adds the rest and reads the sums by hour in one snapshot.
 */
export function checkEarnings({ from, to }: Period): EarningsCheck {
  const sums = new Map<string, Sum>();
  let since = from;
  return async (client) => {
    await useIndexOnTime(client);
    const { until, isLast } = await findEnd(client, since, to);
    if (isLast)
      return findDifferences(
        client,
        [EARNINGS_INVARIANT],
        [from, to, JSON.stringify([...sums.values()]), since],
      );
    for (const sum of await addUp(client, since, until)) addTo(sums, sum);
    since = until;
    return null;
  };
}

type Sum = { partner_id: string; hour: string; earned: string };

async function findEnd(
  client: PoolClient,
  since: string,
  to: string,
): Promise<{ until: string; isLast: boolean }> {
  const { rows } = await client.query<{ until: string; isLast: boolean }>(
    `SELECT until::text, until >= least($2, up_to) AS "isLast" FROM watermark
     CROSS JOIN LATERAL ledger_slice_end($1, least($2, up_to), $3) AS until WHERE name = 'earnings'`,
    [since, to, ROWS_PER_STEP],
  );
  return rows[0] ?? { until: to, isLast: true };
}

async function addUp(client: PoolClient, since: string, until: string): Promise<Sum[]> {
  const { rows } = await client.query<Sum>(
    `SELECT partner_id, date_trunc('hour', created_at)::text AS hour, sum(amount)::text AS earned FROM ledger_entry
     WHERE account = 'partner_earnings' AND created_at >= $1 AND created_at < $2 GROUP BY 1, 2`,
    [since, until],
  );
  return rows;
}

function addTo(sums: Map<string, Sum>, { partner_id, hour, earned }: Sum): void {
  const key = `${partner_id} ${hour}`;
  const before = BigInt(sums.get(key)?.earned ?? 0);
  sums.set(key, { partner_id, hour, earned: String(before + BigInt(earned)) });
}
