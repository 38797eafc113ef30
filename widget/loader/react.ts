import { useCallback, useEffect, useRef, useState } from 'react';
import type { Callbacks, InitOptions, OpenOptions, SvcWidget } from '../api';
import { type LoadOptions, loadSvc } from './index.js';

export type UseSvcOptions = InitOptions & LoadOptions;

export type UseSvc = {
  /** Null until the script has loaded, and on a server. */
  svc: SvcWidget | null;
  /** The script could not be loaded. */
  error: Error | null;
  /** The key of the signed-in user, or null. Updates on sign-in and sign-out, also in other tabs. */
  userKey: string | null;
  open(options?: OpenOptions): void;
  close(): void;
};

const EVENTS = [
  'onLoginCompleted',
  'onCheckoutOpened',
  'onCreditsAdded',
  'onPurchaseError',
  'onError',
  'onComplete',
  'onLoggedOut',
] as const satisfies readonly (keyof Callbacks)[];

type Listener = (name: (typeof EVENTS)[number], event: unknown) => void;

/** The mounted components. The widget is initialised once, while components mount and unmount. */
const listeners = new Set<Listener>();
let startedWith: string | undefined;

/** Loads and initialises the checkout; callbacks may change with every render. */
export function useSvc(options: UseSvcOptions): UseSvc {
  const [svc, setSvc] = useState<SvcWidget | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [userKey, setUserKey] = useState<string | null>(null);
  const latest = useRef(options);
  latest.current = options;

  useEffect(() => {
    let isMounted = true;
    let widget: SvcWidget | null = null;
    const followKey = () => setUserKey(widget?.getUserKey() ?? null);
    const listener: Listener = (name, event) => {
      followKey();
      (latest.current[name] as ((event: unknown) => void) | undefined)?.(event);
    };
    listeners.add(listener);
    // Fires when another tab of the app writes the key.
    window.addEventListener('storage', followKey);
    loadSvc(latest.current).then(
      (loaded) => {
        if (!isMounted || !loaded) return;
        widget = loaded;
        start(loaded, latest.current);
        setSvc(loaded);
        followKey();
      },
      (failure: Error) => isMounted && setError(failure),
    );
    return () => {
      isMounted = false;
      listeners.delete(listener);
      window.removeEventListener('storage', followKey);
    };
  }, []);

  const open = useCallback((wish?: OpenOptions) => svc?.open(wish), [svc]);
  const close = useCallback(() => svc?.close(), [svc]);
  return { svc, error, userKey, open, close };
}

function start(svc: SvcWidget, options: UseSvcOptions): void {
  const { publishableKey } = options;
  if (startedWith !== undefined) {
    if (publishableKey !== startedWith)
      console.warn('[svc] useSvc() was called with a second publishableKey. A page can only use one.');
    return;
  }
  startedWith = publishableKey;
  const { src: _src, nonce: _nonce, integrity: _integrity, ...init } = options;
  const callbacks = Object.fromEntries(
    EVENTS.map((name) => [
      name,
      (event: unknown) => {
        for (const listener of listeners) listener(name, event);
      },
    ]),
  );
  svc.init({ ...init, ...callbacks });
}
