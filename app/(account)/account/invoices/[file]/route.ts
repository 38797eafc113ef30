import { findSession } from '@/app/_session/session';
import { respondWithPdf } from '@/server/payments/invoices/respond';

type Context = { params: Promise<{ file: string }> };

/** An invoice or credit note of the signed-in user. */
export async function GET(_: Request, { params }: Context): Promise<Response> {
  const [session, { file }] = await Promise.all([findSession(), params]);
  if (session === null) return new Response('Sign in first.', { status: 401 });
  return (await respondWithPdf(file, session.userId)) ?? new Response('Not found.', { status: 404 });
}
