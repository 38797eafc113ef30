import { findSession } from '@/app/_session/session';
import { isOperator } from '@/server/identity/sessions';
import { respondWithStatement } from '@/server/payouts/respond-with-statement';

type Context = { params: Promise<{ payout: string }> };

/** The statement of any payout, for operators. */
export async function GET(_: Request, { params }: Context): Promise<Response> {
  const [session, { payout }] = await Promise.all([findSession(), params]);
  const response = session !== null && isOperator(session) ? await respondWithStatement(payout, null) : null;
  return response ?? new Response('Not found.', { status: 404 });
}
