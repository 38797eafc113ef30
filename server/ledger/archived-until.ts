import { pool } from '../base/db';

/** The first day (UTC) whose receipts are still here, as `2026-07-01`; null if none were archived and removed. */
export async function readArchivedUntil(): Promise<string | null> {
  const { rows } = await pool().query<{ day: string | null }>(
    `SELECT to_char(up_to AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day FROM watermark
     WHERE name = 'archive' AND up_to > (SELECT coalesce(min(month), 'infinity') FROM archived_month)`,
  );
  return rows[0]?.day ?? null;
}
