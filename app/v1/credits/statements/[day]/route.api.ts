import { writeStatementDay } from '@/server/api/statements';
import { ApiError } from '@/server/base/errors';
import { preflight } from '@/server/base/http/cors';
import { privateJson, respond } from '@/server/base/http/respond';
import { requireOrdinaryKey } from '@/server/people/access/authenticate';
import { isArchived } from '@/server/reports/statements/archived-day';
import { readDay } from '@/server/reports/statements/day';
import { findDay } from '@/server/reports/statements/read-statements';

type Context = { params: Promise<{ day: string }> };

export const GET = (request: Request, context: Context): Promise<Response> =>
  respond('chat', async () => {
    const { userId, partnerId } = await requireOrdinaryKey(request);
    const day = readDay((await context.params).day);
    const found = day === null ? null : await findDay({ userId, partnerId }, day);
    if (day !== null && (await isArchived(day)))
      throw new ApiError('not_found', 'The receipts of this day are archived. Ask the service for them.');
    if (found === null)
      throw new ApiError(
        'not_found',
        'No statement of this day exists for this user in this app. A day is closed ten minutes after it ends (UTC), and days without bookings have no statement.',
      );
    return privateJson(writeStatementDay(found));
  });

export const OPTIONS = preflight;
