import { respondWithStatement } from '@/server/payments/payouts/respond-with-statement';
import { requireApp } from '../../../require-app';

type Context = { params: Promise<{ app: string; payout: string }> };

export async function GET(_: Request, { params }: Context): Promise<Response> {
  const app = await requireApp({ params }, 'see_payouts');
  const { payout } = await params;
  return (await respondWithStatement(payout, app.teamId)) ?? new Response('Not found.', { status: 404 });
}
