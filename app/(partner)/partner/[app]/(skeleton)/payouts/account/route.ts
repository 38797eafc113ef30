import { redirect } from 'next/navigation';
import { refreshAccount } from '@/server/payments/payouts/accounts';
import { type AppParams, requireApp } from '../../../require-app';

/** Where Stripe sends a member back to: with the new state, or because the link had expired. */
export async function GET(request: Request, context: AppParams): Promise<never> {
  const app = await requireApp(context, 'see_payouts');
  await refreshAccount(app.teamId);
  const isExpired = new URL(request.url).searchParams.has('expired');
  redirect(`/partner/${app.id}/payouts${isExpired ? '?link=expired' : ''}`);
}
