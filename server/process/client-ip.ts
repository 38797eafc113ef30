import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyAddress from 'proxy-addr';
import { CLIENT_IP_HEADER } from '../http/client-ip';
import { log } from '../log';

/**
 * Handlers see no socket: the caller's address travels in a header that no client can set. It is the
 * socket's or, where that is a trusted proxy's, the last one in `X-Forwarded-For` that is not.
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

/** The raw headers are what is looked through: `request.headers` ends after a thousand. */
function dropSentHeader({ rawHeaders }: IncomingMessage): void {
  for (let i = rawHeaders.length - 2; i >= 0; i -= 2) {
    if (rawHeaders[i]?.toLowerCase() === CLIENT_IP_HEADER) rawHeaders.splice(i, 2);
  }
}

type FindClientIp = (request: IncomingMessage) => string;

/** A proxy that writes no address, such as `unknown`, is taken for the caller itself. */
function trusting(proxies: string[]): FindClientIp {
  const isTrusted = proxyAddress.compile(proxies);
  return (request) => proxyAddress.all(request, isTrusted).findLast((text) => isIP(text) !== 0) ?? '';
}

const isNear = proxyAddress.compile(['loopback', 'linklocal', 'uniquelocal']);

/** Tells once when requests look as if they came through a proxy: all its callers would share its limits. */
function trustingNone(): FindClientIp {
  let hasWarned = false;
  return ({ socket, headers }) => {
    const address = socket.remoteAddress ?? '';
    if (!hasWarned && headers['x-forwarded-for'] !== undefined && isNear(address, 0)) {
      hasWarned = true;
      log().warn('requests come through a proxy that TRUSTED_PROXIES does not name: all count as one caller');
    }
    return address;
  };
}
