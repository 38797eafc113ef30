import { findSession } from '@/app/_session/session';
import { isOperator } from '@/server/identity/sessions';
import { respondWithPdf } from '@/server/invoices/respond';

type Context = { params: Promise<{ file: string }> };

/** Any invoice or credit note, for operators. */
export async function GET(_: Request, { params }: Context): Promise<Response> {
  const [session, { file }] = await Promise.all([findSession(), params]);
  const response = session !== null && isOperator(session) ? await respondWithPdf(file, null) : null;
  return response ?? new Response('Not found.', { status: 404 });
}
