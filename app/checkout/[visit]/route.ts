import { settings } from '@/server/base/env';
import { findVisitOrigin } from '@/server/payments/checkout/visits';
import { visitDocument } from '../document';

type Context = { params: Promise<{ visit: string }> };

/** The document with the secrets. Only the visit's own origin may frame it (see proxy.ts). */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const { visit: visitId } = await params;
  const visit = await findVisitOrigin(visitId);
  const { BASE_URL, BRAND_NAME, SANDBOX_MAIL_URL } = settings();
  return visitDocument(request, {
    visitId,
    origin: visit?.origin ?? null,
    brand: BRAND_NAME,
    accountUrl: `${BASE_URL}/account`,
    mailUrl: SANDBOX_MAIL_URL === undefined ? null : `${BASE_URL}/dev/mail`,
  });
}
