import { attempt } from './key-store';

/**
 * Whether a window opened here would stay in touch. `Cross-Origin-Opener-Policy: same-origin` cuts
 * it off, and then the window's handle lies: it must be known before opening.
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

/** A page may read its own headers by asking for itself; the outermost page's are the ones that count. */
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
