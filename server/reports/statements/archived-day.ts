import { readArchivedUntil } from '../../ledger';

/** Whether receipts of a day (UTC) may be in the archive instead of the database. */
export async function isArchived(day: string): Promise<boolean> {
  const until = await readArchivedUntil();
  return until !== null && day < until;
}
