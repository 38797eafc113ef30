'use client';

import { useEffect, useRef, useState } from 'react';
import type { InitOptions, SvcWidget } from '@/widget/api';

/** A callback of the widget, newest last in the log. */
export type LoggedCallback = { id: number; at: string; name: string; event: string };

type Setup = { publishableKey: string; scriptUrl: string; checkoutUrl: string };
type Options = Record<string, unknown> | null;
type On = { credits(key: string | null, balance: number): void; loggedOut(): void };

const CALLBACKS = [
  'onLoginCompleted',
  'onCheckoutOpened',
  'onCreditsAdded',
  'onPurchaseError',
  'onError',
  'onComplete',
  'onLoggedOut',
] as const;

/** Loads the widget's script as a partner would, once the options are known, and logs its callbacks. */
export function useWidget({ publishableKey, scriptUrl, checkoutUrl }: Setup, options: Options, on: On) {
  const [widget, setWidget] = useState<SvcWidget | null>(null);
  const [failed, setFailed] = useState(false);
  const [log, setLog] = useState<LoggedCallback[]>([]);
  const handlers = useRef(on);
  handlers.current = on;

  useEffect(() => {
    if (options === null) return;
    const hear = (name: (typeof CALLBACKS)[number], event: Record<string, unknown> = {}) => {
      setLog((logged) => [
        ...logged,
        { id: logged.length, at: new Date().toLocaleTimeString(), name, event: masked(event) },
      ]);
      if (name === 'onLoggedOut') handlers.current.loggedOut();
      if (typeof event.checkout_url === 'string') window.open(event.checkout_url, '_blank', 'noopener');
      if (typeof event.balance === 'number')
        handlers.current.credits(event.user_key as string | null, event.balance);
    };
    const callbacks = Object.fromEntries(CALLBACKS.map((name) => [name, hear.bind(null, name)]));

    function start() {
      const svc = (window as { Svc?: SvcWidget }).Svc;
      if (!svc) return setFailed(true);
      svc.init({ publishableKey, baseUrl: checkoutUrl, ...options, ...callbacks } as InitOptions);
      setWidget(svc);
    }
    const script = document.createElement('script');
    script.src = scriptUrl;
    script.async = true;
    script.onload = start;
    script.onerror = () => setFailed(true);
    document.head.append(script);
    return () => {
      script.onload = null;
    };
  }, [publishableKey, scriptUrl, checkoutUrl, options]);

  return { widget, failed, log };
}

export function maskKey(key: string): string {
  return `${key.slice(0, 'svc_sk_'.length)}…${key.slice(-4)}`;
}

function masked(event: Record<string, unknown>): string {
  const { user_key: key, ...rest } = event;
  return JSON.stringify({ ...(typeof key === 'string' ? { user_key: maskKey(key) } : {}), ...rest });
}
