import { isArchived } from './archived-day';
import { checkDay } from './check-statements';
import { ACCOUNT } from './close-days';
import { type ListedStatement, listStatements } from './read-statements';

/** A page compares about as many bookings with their statements; those beyond are compared when they are downloaded. */
const COMPARED_BOOKINGS = 5_000;

export type AccountStatement = ListedStatement & {
  /** Whether everything is still as it was signed; null if it was not compared. */
  matches: boolean | null;
  /** Its receipts are no longer here. */
  isArchived: boolean;
};

/** The statements of an account, newest first, before a day (UTC). */
export async function listAccountStatements(
  userId: string,
  page: { limit: number; before: string | null },
): Promise<{ statements: AccountStatement[]; hasMore: boolean }> {
  const { statements, hasMore } = await listStatements({ userId, partnerId: ACCOUNT }, page);
  let left = COMPARED_BOOKINGS;
  const compared: AccountStatement[] = [];
  for (const statement of statements) {
    left -= statement.bookings ?? 0;
    const matches = left < 0 ? null : (await checkDay(userId, statement.day)).length === 0;
    compared.push({ ...statement, matches, isArchived: await isArchived(statement.day) });
  }
  return { statements: compared, hasMore };
}
