import { findSession } from '@/app/_session/session';
import { findProcessorInvoice } from '@/server/payments/checkout/purchases';

type Context = { params: Promise<{ id: string }> };

/** Opens the invoice that the payment processor issued for a purchase. */
export async function GET(_: Request, { params }: Context): Promise<Response> {
  const [session, { id }] = await Promise.all([findSession(), params]);
  if (session === null) return new Response('Sign in first.', { status: 401 });
  const location = await findProcessorInvoice(session.userId, id);
  if (location === null) return new Response('Not found.', { status: 404 });
  return new Response(null, { status: 303, headers: { location, 'cache-control': 'private, no-store' } });
}
