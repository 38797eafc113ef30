import { readClientIp } from '../../base/http/client-ip';
import { respond } from '../../base/http/respond';
import { readKnownBrowserCookie } from '../../people/known-browser';
import { readSessionToken } from '../../people/session-cookie';
import { requireSameOrigin } from './same-origin';
import { readVisitToken } from './visit-cookie';
import type { Device } from './visit-sign-in';
import { requireVisit, type Visit } from './visits';

/** Handles a request from our own checkout page. No other page may send it or read the response. */
export function respondToCheckout(request: Request, handle: () => Promise<Response>): Promise<Response> {
  return respond(
    'chat',
    () => {
      requireSameOrigin(request);
      return handle();
    },
    'same-origin',
  );
}

/** The same, for a window that sends its visit's cookie. */
export function respondToVisit(
  request: Request,
  { params }: { params: Promise<{ id: string }> },
  handle: (visit: Visit) => Promise<Response>,
): Promise<Response> {
  return respondToCheckout(request, async () => {
    const { id } = await params;
    return handle(await requireVisit(id, readVisitToken(request, id)));
  });
}

export function readDevice(request: Request): Device {
  return {
    userAgent: request.headers.get('user-agent') ?? '',
    sessionToken: readSessionToken(request),
    clientIp: readClientIp(request),
    browserCookie: readKnownBrowserCookie(request),
  };
}
