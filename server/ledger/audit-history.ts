import { now } from '../base/clock';
import { readScannedTo, type ScannedTo } from './audit-run';
import { checkBookings, findSlice } from './check-bookings';
import { checkInTurn, TEAMS, USERS } from './check-in-turn';
import type { Step } from './steps';

/**
 * What an audit spends on history, however much there is. A small installation is checked as a whole each time;
 * a large one in turn.
 */
const USERS_BUDGET_MS = 500;
const TEAMS_BUDGET_MS = 250;
const BOOKINGS_BUDGET_MS = 500;

/** Checks the whole history of the next users, teams and bookings, so that those who are not active are covered too. */
export async function auditHistory(
  step: Step,
  settled: string,
): Promise<{ differences: string[]; scannedTo: ScannedTo }> {
  const last = await step(readScannedTo);
  const users = await checkInTurn(step, USERS, { after: last.user, budgetMs: USERS_BUDGET_MS });
  const teams = await checkInTurn(step, TEAMS, { after: last.team, budgetMs: TEAMS_BUDGET_MS });
  const bookings = await checkBookingsInTurn(step, last.booked, settled);
  return {
    differences: [...users.differences, ...teams.differences, ...bookings.differences],
    scannedTo: { user: users.scannedTo, team: teams.scannedTo, booked: bookings.scannedTo },
  };
}

async function checkBookingsInTurn(
  step: Step,
  after: string | null,
  settled: string,
): Promise<{ differences: string[]; scannedTo: string | null }> {
  const differences: string[] = [];
  let scannedTo: string | null = after;
  for (let spentMs = 0, isLast = false; !isLast && spentMs < BOOKINGS_BUDGET_MS; )
    await step(async (client) => {
      const begunAt = now();
      const slice = await findSlice(client, scannedTo ?? '-infinity', settled);
      differences.push(...(await checkBookings(client, slice)));
      isLast = slice.isLast;
      scannedTo = isLast ? null : slice.until;
      spentMs += now() - begunAt;
    });
  return { differences, scannedTo };
}
