import type { PoolClient } from 'pg';
import { DAY_MS, now } from '../base/clock';
import { deleteInSteps } from '../base/db';

/** Where the next audit continues; '' and null at the beginning. */
export type ScannedTo = {
  /** The last user and the last team whose whole history was checked. */
  user: string;
  team: string;
  /** Everything booked before this was checked again. */
  booked: string | null;
};

const LAST = `
  SELECT scanned_to AS user, teams_scanned_to AS team, bookings_scanned_to::text AS booked
  FROM audit_run ORDER BY id DESC LIMIT 1`;

export async function readScannedTo(client: PoolClient): Promise<ScannedTo> {
  const { rows } = await client.query<ScannedTo>(LAST);
  return rows[0] ?? { user: '', team: '', booked: null };
}

type Run = { users: number; differences: string[]; scannedTo: ScannedTo };

export async function recordAudit(client: PoolClient, { users, differences, scannedTo }: Run): Promise<void> {
  await client.query(
    `INSERT INTO audit_run (users, differences, scanned_to, teams_scanned_to, bookings_scanned_to)
     VALUES ($1, $2, $3, $4, $5)`,
    [users, differences, scannedTo.user, scannedTo.team, scannedTo.booked],
  );
}

/** Records differences in the step that finds them: if the audit does not finish, the next one does not look there again. */
export async function recordDifferences(client: PoolClient, differences: string[]): Promise<void> {
  if (differences.length === 0) return;
  await recordAudit(client, { users: 0, differences, scannedTo: await readScannedTo(client) });
}

const RUN_KEPT_MS = 30 * DAY_MS;

/** Audits without differences are deleted after a month, except the newest, which shows when the last one ran. */
export async function forgetOldAudits(): Promise<void> {
  await deleteInSteps(
    `DELETE FROM audit_run WHERE id IN (
       SELECT id FROM audit_run WHERE at < $1 AND differences = '{}'
         AND id <> (SELECT max(id) FROM audit_run) LIMIT $2)`,
    new Date(now() - RUN_KEPT_MS),
  );
}
