import type { SvcWidget } from '../api';

export type * from '../api';

export type LoadOptions = {
  /** URL of the script, such as `https://pay.example.com/v1/svc.js`. */
  src: string;
  /** For a page whose Content-Security-Policy requires a nonce. */
  nonce?: string;
  /** For a versioned URL; `/v1/svc.json` lists the hash. */
  integrity?: string;
};

const TIMEOUT_MS = 15_000;

let loading: Promise<SvcWidget> | undefined;

/**
 * Resolves to the widget once its script has run. All calls share one script and one promise.
 * Null on a server. A failed load is retried once; after that, the next call starts over.
 */
export function loadSvc(options: LoadOptions): Promise<SvcWidget | null> {
  if (typeof document === 'undefined') return Promise.resolve(null);
  loading ??= load(options)
    .catch(() => load(options))
    .catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
  return loading;
}

function load(options: LoadOptions): Promise<SvcWidget> {
  const ready = findWidget();
  if (ready) return Promise.resolve(ready);
  return new Promise((resolve, reject) => {
    const pasted = findScript(options.src);
    const script = pasted ?? createScript(options);
    const fail = () => {
      // A failed script tag never loads again.
      script.remove();
      clearTimeout(timeout);
      reject(new Error(`The checkout script could not be loaded from ${options.src}`));
    };
    const timeout = setTimeout(fail, TIMEOUT_MS);
    script.addEventListener('error', fail);
    script.addEventListener('load', () => {
      const widget = findWidget();
      if (!widget) return fail();
      clearTimeout(timeout);
      resolve(widget);
    });
    if (!pasted) document.head.append(script);
  });
}

/** The snippet that queues early calls defines an object without a version. */
function findWidget(): SvcWidget | undefined {
  const { Svc: widget } = window as { Svc?: SvcWidget };
  return widget?.version ? widget : undefined;
}

function findScript(src: string): HTMLScriptElement | undefined {
  const { href } = new URL(src, location.href);
  return Array.from(document.scripts).find((script) => script.src === href);
}

function createScript({ src, nonce, integrity }: LoadOptions): HTMLScriptElement {
  const script = document.createElement('script');
  script.src = src;
  script.async = true;
  if (nonce) script.nonce = nonce;
  if (integrity) {
    script.integrity = integrity;
    script.crossOrigin = 'anonymous';
  }
  return script;
}
