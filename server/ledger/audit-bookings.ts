import { addToAuditedPockets } from './audit-pockets';
import { recordDifferences } from './audit-run';
import { checkBookings, findSlice } from './check-bookings';
import type { Step } from './steps';

/**
 * Enough for a minute at 8,000 requests/s, so audits keep up. After a long backlog, they still end within minutes and report
 * what they found.
 */
const STEPS_PER_AUDIT = 120;

/**
 * Checks what was booked since the last audit and before `settled`, slice by slice. Each step moves the watermark to the
 * end of its slice, so every booking is in exactly one. `isLast` if nothing is left for the next audit.
 */
export async function auditBookings(
  step: Step,
  settled: string,
): Promise<{ differences: string[]; isLast: boolean }> {
  const differences: string[] = [];
  let isLast = false;
  for (let n = 0; n < STEPS_PER_AUDIT && !isLast; n++)
    await step(async (client) => {
      const { rows } = await client.query<{ since: string }>(
        "SELECT up_to::text AS since FROM watermark WHERE name = 'audit' AND up_to < $1",
        [settled],
      );
      const slice = rows[0] && (await findSlice(client, rows[0].since, settled));
      isLast = slice?.isLast ?? true;
      if (slice === undefined) return;
      const found = await checkBookings(client, slice);
      await addToAuditedPockets(client, slice);
      await recordDifferences(client, found);
      await client.query("UPDATE watermark SET up_to = $1 WHERE name = 'audit'", [slice.until]);
      differences.push(...found);
    });
  return { differences, isLast };
}
