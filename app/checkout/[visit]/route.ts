import { SIGN_IN_WINDOW } from '@/app/_session/issuer-start';
import { settings } from '@/server/base/env';
import { findVisitOrigin } from '@/server/payments/checkout/visits';
import { listIssuers } from '@/server/people/issuers';
import { readLocale, visitDocument } from '../document';

type Context = { params: Promise<{ visit: string }> };

/** The document with the secrets. Only the visit's own origin may frame it (see proxy.ts). */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const { visit: visitId } = await params;
  const visit = await findVisitOrigin(visitId);
  const { BASE_URL, BRAND_NAME, SANDBOX_MAIL_URL } = settings();
  return visitDocument(request, {
    followsAccount: readLocale(request) === null,
    visitId,
    origin: visit?.origin ?? null,
    brand: BRAND_NAME,
    accountUrl: `${BASE_URL}/account`,
    signIn: { issuers: listIssuers(), window: `${BASE_URL}${SIGN_IN_WINDOW}?visit=${visitId}` },
    mailUrl: SANDBOX_MAIL_URL === undefined ? null : `${BASE_URL}/dev/mail`,
  });
}
