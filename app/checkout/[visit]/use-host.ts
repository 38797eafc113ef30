'use client';

import { useCallback, useEffect, useRef, useState } from 'react';
import type { FromCheckout, FromWidget, Init } from '@/widget/contract';
import { findOpener, type Host, keepHost } from '../connect';

const EXCHANGE_TIMEOUT_MS = 15_000;

export type HostLink = {
  init: Init;
  /** The user key the app already holds, or null. */
  heldKey: string | null;
  send(message: FromCheckout): void;
  /** Sends a sign-in token to the app; true once the app has received its user key. */
  deliverToken(token: string): Promise<boolean>;
};

type Connection = {
  opened: Promise<Init>;
  host: Host;
  listen(listener: (message: FromWidget) => void): void;
};

const connections = new Map<string, Connection>();

/** One connection per visit, even if React mounts twice. */
function connectOnce(rid: string, origin: string): Connection {
  const known = connections.get(rid);
  if (known) return known;
  let listener: ((message: FromWidget) => void) | undefined;
  const pending: FromWidget[] = [];
  const kept = keepHost(rid, origin, (message) => (listener ? listener(message) : pending.push(message)));
  const connection: Connection = {
    ...kept,
    listen(next) {
      listener = next;
      for (const message of pending.splice(0)) next(message);
    },
  };
  connections.set(rid, connection);
  return connection;
}

/** The page that opened us, once it has proved to be the page of this visit. */
export function useHost(
  origin: string,
  onCloseRequested: () => void,
): { link: HostLink | null; orphaned: boolean } {
  const [link, setLink] = useState<HostLink | null>(null);
  const [orphaned, setOrphaned] = useState(false);
  const exchanged = useRef<((ok: boolean) => void) | null>(null);
  const closeRequested = useRef(onCloseRequested);
  closeRequested.current = onCloseRequested;

  const connect = useCallback(
    (rid: string) => {
      const connection = connectOnce(rid, origin);
      connection.listen(async (message) => {
        if (message.t === 'close_requested') closeRequested.current();
        if (message.t === 'key_exchanged') exchanged.current?.(message.ok);
        if (message.t === 'held_key') {
          // The page was reloaded, so an exchange in progress is lost.
          exchanged.current?.(false);
          const { host } = connection;
          const init = await connection.opened;
          const deliverToken = (token: string) =>
            new Promise<boolean>((resolve) => {
              exchanged.current = resolve;
              setTimeout(() => resolve(false), EXCHANGE_TIMEOUT_MS);
              host.send({ t: 'signed_in', token });
            });
          setLink({ init, heldKey: message.user_key, send: (known) => host.send(known), deliverToken });
        }
      });
    },
    [origin],
  );

  useEffect(() => {
    const rid = window.location.hash.slice(1);
    if (rid === '' || findOpener() === null) setOrphaned(true);
    else connect(rid);
  }, [connect]);

  return { link, orphaned };
}
