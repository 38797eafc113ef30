import { settings } from '../env';
import { ApiError } from '../errors';

/** The origin of our own checkout pages. */
export function checkoutOrigin(): string {
  return new URL(settings().CHECKOUT_URL).origin;
}

/**
 * Lets a request change something only when one of our own checkout pages sent it: the cookies
 * of a framed checkout travel cross-site, so they alone prove nothing.
 */
export function requireSameOrigin(request: Request): void {
  if (request.method === 'GET') return;
  const fetchSite = request.headers.get('sec-fetch-site');
  const isOurs =
    request.headers.get('origin') === checkoutOrigin() && (fetchSite === null || fetchSite === 'same-origin');
  if (!isOurs) throw new ApiError('origin_not_allowed', 'Only the checkout itself may send this request');
}
