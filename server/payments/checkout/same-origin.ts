import { settings } from '../../base/env';
import { ApiError } from '../../base/errors';

/** The origin of our own checkout pages. */
export function checkoutOrigin(): string {
  return new URL(settings().CHECKOUT_URL).origin;
}

/**
 * Allows a request to change something only if one of our own checkout pages sent it. The cookies
 * of a framed checkout are sent cross-site, so they prove nothing on their own.
 */
export function requireSameOrigin(request: Request): void {
  if (request.method === 'GET') return;
  const fetchSite = request.headers.get('sec-fetch-site');
  const isOurs =
    request.headers.get('origin') === checkoutOrigin() && (fetchSite === null || fetchSite === 'same-origin');
  if (!isOurs) throw new ApiError('origin_not_allowed', 'This request must come from the checkout page.');
}
