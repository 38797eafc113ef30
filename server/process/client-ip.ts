import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyAddress from 'proxy-addr';
import { CLIENT_IP_HEADER } from '../base/http/client-ip';
import { log } from '../base/log';

/**
 * Handlers have no access to the socket, so the client IP travels in a header that no client can
 * set. It is the socket's address or, behind trusted proxies, the last untrusted one in
 * `X-Forwarded-For`.
 */
export function createClientIpWriter(trustedProxies: string[]): (request: IncomingMessage) => void {
  const findClientIp = trustedProxies.length > 0 ? trusting(trustedProxies) : trustingNone();
  return (request) => {
    dropSentHeader(request);
    const clientIp = findClientIp(request);
    request.rawHeaders.push(CLIENT_IP_HEADER, clientIp);
    request.headers[CLIENT_IP_HEADER] = clientIp;
  };
}

/** Searches the raw headers, because `request.headers` stops after a thousand. */
function dropSentHeader({ rawHeaders }: IncomingMessage): void {
  for (let i = rawHeaders.length - 2; i >= 0; i -= 2) {
    if (rawHeaders[i]?.toLowerCase() === CLIENT_IP_HEADER) rawHeaders.splice(i, 2);
  }
}

type FindClientIp = (request: IncomingMessage) => string;

/** A proxy that writes no address, such as `unknown`, counts as the client itself. */
function trusting(proxies: string[]): FindClientIp {
  const isTrusted = proxyAddress.compile(proxies);
  return (request) => proxyAddress.all(request, isTrusted).findLast((text) => isIP(text) !== 0) ?? '';
}

const isNear = proxyAddress.compile(['loopback', 'linklocal', 'uniquelocal']);

/** Warns once if requests seem to come through a proxy, because all its clients would share one rate limit. */
function trustingNone(): FindClientIp {
  let hasWarned = false;
  return ({ socket, headers }) => {
    const address = socket.remoteAddress ?? '';
    if (!hasWarned && headers['x-forwarded-for'] !== undefined && isNear(address, 0)) {
      hasWarned = true;
      log().warn(
        'requests arrive through a proxy missing from TRUSTED_PROXIES: all its clients share one rate limit',
      );
    }
    return address;
  };
}
