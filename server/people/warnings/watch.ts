import { DAY_MS, MINUTE_MS, now } from '../../base/clock';
import { deleteInSteps, querySlowly } from '../../base/db';
import { takeSettledUsers } from '../../ledger';
import { noteBought, noteLimits, noteUnusual, noteWeekly } from './note';

/** Settlements of an instance that died are found in the daily sums. */
const READ_ALL_EVERY_MS = 10 * MINUTE_MS;
const USERS_PER_STATEMENT = 500;
/** Longer than any period of a limit. What a purchase led to is kept, as it stays the last one for any time. */
export const WARNINGS_KEPT_MS = 40 * DAY_MS;

let allReadAt = Number.NEGATIVE_INFINITY;

/**
 * Looks at the users whose requests this instance settled since the last pass, and now and then at all who spent
 * something today or yesterday. Nothing of this runs on the path of a request.
 */
export async function watchSpending(): Promise<void> {
  const users = new Set(takeSettledUsers('warnings'));
  if (now() - allReadAt >= READ_ALL_EVERY_MS) {
    for (const userId of await listSpenders()) users.add(userId);
    allReadAt = now();
  }
  await noteSpending([...users]);
  await noteWeekly();
}

export async function noteSpending(users: string[]): Promise<void> {
  for (let start = 0; start < users.length; start += USERS_PER_STATEMENT) {
    const some = users.slice(start, start + USERS_PER_STATEMENT);
    await noteLimits(some);
    await noteBought(some);
    await noteUnusual(some);
  }
}

async function listSpenders(): Promise<string[]> {
  const rows = await querySlowly<{ user_id: string }>(
    `SELECT c.user_id FROM warning_choice c
     WHERE (c.limits OR c.unusual) AND EXISTS (SELECT FROM usage_day d WHERE d.user_id = c.user_id AND d.day >= $1::date)`,
    [new Date(now() - DAY_MS)],
  );
  return rows.map(({ user_id }) => user_id);
}

export async function forgetOldWarnings(): Promise<void> {
  await deleteInSteps(
    `DELETE FROM warning_mail WHERE (user_id, cause) IN (
       SELECT user_id, cause FROM warning_mail WHERE noted_at < $1 AND kind <> 'bought' LIMIT $2)`,
    new Date(now() - WARNINGS_KEPT_MS),
  );
}
