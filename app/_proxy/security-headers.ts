import type { NextResponse } from 'next/server';
import { ownSiteHeaders } from '@/server/base/http/security-headers';

/** What no page uses is off, so that no frame or injected script can use it. */
const UNUSED_FEATURES = [
  'camera',
  'display-capture',
  'geolocation',
  'hid',
  'microphone',
  'midi',
  'serial',
  'usb',
];

/** Passkeys sign in to our own pages only, never to a checkout in another site's frame. */
function permissionsPolicy(isCheckout: boolean): string {
  const passkeys = isCheckout ? '()' : '(self)';
  return [
    ...UNUSED_FEATURES.map((feature) => `${feature}=()`),
    `publickey-credentials-get=${passkeys}`,
    `publickey-credentials-create=${passkeys}`,
  ].join(', ');
}

export function withSecurityHeaders(response: NextResponse, pathname: string, policy: string): NextResponse {
  const isCheckout = pathname.startsWith('/checkout');
  const headers = {
    ...ownSiteHeaders(),
    'content-security-policy': policy,
    'permissions-policy': permissionsPolicy(isCheckout),
    // A checkout window must be able to message the page that opened it, and a page that isolates itself can frame it.
    ...(isCheckout
      ? { 'cross-origin-resource-policy': 'cross-origin' }
      : { 'cross-origin-opener-policy': 'same-origin-allow-popups', 'x-frame-options': 'DENY' }),
  };
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}
