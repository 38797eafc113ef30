import { randomBytes } from 'node:crypto';
import { type NextRequest, NextResponse } from 'next/server';
import type { ApiError } from '@/server/base/errors';
import { NO_CONTENT_POLICY } from '@/server/base/http/security-headers';
import { findWidgetFile } from '@/server/base/http/widget-files';
import { isDemoPage, keepDemoApart } from './app/_proxy/demo';
import { findPolicy, UNAVAILABLE_PATH } from './app/_proxy/policy';
import { withoutProcessorSecret } from './app/_proxy/processor-secret';
import { withSecurityHeaders } from './app/_proxy/security-headers';
import { serveWidgetFile } from './app/_proxy/widget-file';
import { PATH_HEADER, SITE_HEADER } from './app/_ui/site-header';

/**
 * Runs before every page: sets a nonce and the security headers and, for the one page that may be
 * framed, the one origin that may frame it.
 */

export const config = {
  matcher: ['/((?!_next/|api/|checkout/api/|logos/).*)'],
};

export async function proxy(request: NextRequest): Promise<NextResponse> {
  const { pathname } = request.nextUrl;
  const widgetFile = findWidgetFile(pathname);
  if (widgetFile) return serveWidgetFile(pathname, widgetFile);
  const elsewhere = keepDemoApart(request);
  if (elsewhere) return elsewhere;
  const clean = withoutProcessorSecret(request.nextUrl);
  if (clean !== null)
    return withSecurityHeaders(NextResponse.redirect(clean, 303), pathname, NO_CONTENT_POLICY);

  const isDemo = isDemoPage(request);
  const nonce = randomBytes(16).toString('base64');
  const { policy, busy } = await findPolicy(pathname, nonce, isDemo);
  const headers = new Headers(request.headers);
  headers.set(SITE_HEADER, isDemo ? 'demo' : pathname.startsWith('/checkout') ? 'checkout' : 'service');
  headers.set(PATH_HEADER, pathname + request.nextUrl.search);
  headers.set('content-security-policy', policy);
  const response = busy ? standIn(request, headers, busy) : NextResponse.next({ request: { headers } });
  return withSecurityHeaders(response, pathname, policy);
}

/** A page without secrets, while the database cannot say who may frame the one that was requested. */
function standIn(request: NextRequest, headers: Headers, { retryAfterSeconds }: ApiError): NextResponse {
  return NextResponse.rewrite(new URL(UNAVAILABLE_PATH, request.nextUrl), {
    headers: { 'retry-after': String(retryAfterSeconds) },
    request: { headers },
  });
}
