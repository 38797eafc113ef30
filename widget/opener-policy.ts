import { attempt } from './key-store';

/**
 * Whether a window opened here can reach this page. `Cross-Origin-Opener-Policy: same-origin` disconnects it,
 * and its handle then reports a closed window, so we must know before we open it.
 */
export type OpenerPolicy = 'unknown' | 'keeps' | 'cuts';

const CUTTING = /^\s*same-origin(-plus-coep)?\s*(;|$)/i;

export function watchOpenerPolicy(): () => OpenerPolicy {
  let policy: OpenerPolicy = 'unknown';
  if (window.crossOriginIsolated) policy = 'cuts';
  else
    void readPolicy().then(
      (header) => {
        policy = CUTTING.test(header) ? 'cuts' : 'keeps';
      },
      () => {},
    );
  return () => policy;
}

/** A page can read its own headers by requesting itself. Only the top-level page's headers apply. */
async function readPolicy(): Promise<string> {
  const address = attempt(() => window.top?.location.href) ?? location.href;
  if (!/^https?:/.test(address)) return '';
  const head = await fetch(address, { method: 'HEAD' });
  const response = head.ok ? head : await readHeaders(address);
  return response.headers.get('cross-origin-opener-policy') ?? '';
}

async function readHeaders(address: string): Promise<Response> {
  const abort = new AbortController();
  const response = await fetch(address, { signal: abort.signal });
  abort.abort();
  return response;
}
