import { addToAuditedPockets } from './audit-pockets';
import { recordDifferences } from './audit-run';
import { checkBookings, findSlice } from './check-bookings';
import type { Step } from './steps';

/**
 * Checks what was booked since the last audit and before `settled`, slice by slice. Each step moves the watermark to the
 * end of its slice, so every booking is in exactly one.
 */
export async function auditBookings(step: Step, settled: string): Promise<string[]> {
  const differences: string[] = [];
  for (let isLast = false; !isLast; )
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
  return differences;
}
