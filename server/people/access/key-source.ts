import type { WithHeaders } from '../../base/http/api-request';
import { readClientIp } from '../../base/http/client-ip';

/** Where a user key is used from. Null if it is not known. */
export type KeySource = {
  clientIp: string | null;
  /** The web origin that the browser reports; only requests of pages have one. */
  origin: string | null;
};

export function readKeySource(request: WithHeaders): KeySource {
  // An IPv6 address of the local link may end with the name of an interface, which PostgreSQL does not accept.
  const [clientIp = ''] = readClientIp(request).split('%');
  return { clientIp: clientIp === '' ? null : clientIp, origin: request.headers.get('origin') };
}
