import { csvResponse } from '@/server/base/http/csv';
import { findStatement } from '@/server/payments/payouts/statement';
import { STATEMENT_HEADER, writeStatementRows } from '@/server/payments/payouts/statement-csv';
import { requireApp } from '../../../require-app';

type Context = { params: Promise<{ app: string; payout: string }> };

/** By app, day and model. */
export async function GET(_: Request, { params }: Context): Promise<Response> {
  const app = await requireApp({ params }, 'see_payouts');
  const { payout } = await params;
  const statement = await findStatement(payout, app.teamId);
  if (statement === null) return new Response('Not found.', { status: 404 });
  return csvResponse(`statement-${payout}.csv`, STATEMENT_HEADER, writeStatementRows(statement));
}
