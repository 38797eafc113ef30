import { findSession } from '@/app/_session/session';
import { isArchived } from '@/server/reports/statements/archived-day';
import { readDay } from '@/server/reports/statements/day';
import { findAccountDay } from '@/server/reports/statements/read-statements';

type Context = { params: Promise<{ day: string }> };

/** A day of the signed-in user as a file, with everything that proves it. */
export async function GET(_: Request, { params }: Context): Promise<Response> {
  const [session, { day: given }] = await Promise.all([findSession(), params]);
  if (session === null) return new Response('Sign in first.', { status: 401 });
  const day = readDay(given);
  const found = day === null ? null : await findAccountDay(session.userId, day);
  if (found === null || day === null) return new Response('Not found.', { status: 404 });
  if (await isArchived(day))
    return new Response('The receipts of this day are archived. Ask the service for them.', { status: 404 });
  return Response.json(found, {
    headers: {
      'content-disposition': `attachment; filename="statement-${day}.json"`,
      'cache-control': 'no-store',
    },
  });
}
