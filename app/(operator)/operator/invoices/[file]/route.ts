import { requireOperator } from '@/app/_session/session';
import { respondWithPdf } from '@/server/payments/invoices/respond';

type Context = { params: Promise<{ file: string }> };

/** Any invoice or credit note, for operators. */
export async function GET(_: Request, { params }: Context): Promise<Response> {
  await requireOperator();
  const { file } = await params;
  return (await respondWithPdf(file, null)) ?? new Response('Not found.', { status: 404 });
}
