import { readClientIp } from '../http/client-ip';
import { respond } from '../http/respond';
import { readSessionToken } from '../identity/session-cookie';
import { requireSameOrigin } from './same-origin';
import { readVisitToken } from './visit-cookie';
import type { Device } from './visit-sign-in';
import { requireVisit, type Visit } from './visits';

/** A request of our own checkout page; nobody else's page may send or read it. */
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

/** The same, from a window that shows the cookie of its visit. */
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
  };
}
