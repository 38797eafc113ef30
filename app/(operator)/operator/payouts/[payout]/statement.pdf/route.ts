import { requireOperator } from '@/app/_session/session';
import { respondWithStatement } from '@/server/payments/payouts/respond-with-statement';

type Context = { params: Promise<{ payout: string }> };

/** The statement of any payout, for operators. */
export async function GET(_: Request, { params }: Context): Promise<Response> {
  await requireOperator();
  const { payout } = await params;
  return (await respondWithStatement(payout, null)) ?? new Response('Not found.', { status: 404 });
}
