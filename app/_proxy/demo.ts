import { type NextRequest, NextResponse } from 'next/server';
import { isLive, settings } from '@/server/base/env';

/** The demo has a host of its own, as a partner’s page has. A live installation has no demo. */

const DEMO_PATH = '/demo';
const PUBLIC_FILE = /^\/[\w-]+\.(?:svg|ico|txt)$/;

export const isDemoPage = (request: NextRequest): boolean =>
  isDemoHost(request) && ['/', DEMO_PATH].includes(request.nextUrl.pathname);

/** Keeps the demo on its host, and everything else off it. Null if the page is served where it was requested. */
export function keepDemoApart(request: NextRequest): NextResponse | null {
  const { pathname } = request.nextUrl;
  if (isDemoHost(request))
    return isDemoPage(request) || PUBLIC_FILE.test(pathname)
      ? null
      : new NextResponse('Not found', { status: 404 });
  return pathname === DEMO_PATH && !isLive()
    ? NextResponse.redirect(`http://demo.localhost:${settings().PORT}/`)
    : null;
}

const isDemoHost = (request: NextRequest): boolean => !isLive() && hostname(request).startsWith('demo.');

const hostname = (request: NextRequest): string =>
  (request.headers.get('host') ?? '').replace(/:\d+$/, '').toLowerCase();
