import {
  FROM_WIDGET,
  type FromCheckout,
  type FromWidget,
  type Init,
  openChannel,
  readMessage,
  WINDOW_MESSAGES,
  writeMessage,
} from '@/widget/contract';

export type Opening = {
  /** Attested by the browser: the origin of the page that opened this window. */
  origin: string;
  init: Init;
  port: MessagePort;
};

export type Host = { send(message: FromCheckout): void };

const openings = new Map<string, Promise<Opening>>();

/** The page that framed or opened this window; null when somebody came here directly. */
export function findOpener(): Window | null {
  if (window.parent !== window) return window.parent;
  return (window.opener as Window | null) ?? null;
}

/**
 * Says hello to the opener and takes its first `init`, from that window only. `targetOrigin` is
 * `*` for the gate, whose hello says nothing, and the visit's own origin afterwards.
 */
export function sayHello(document: 'gate' | 'session', rid: string, targetOrigin: string): Promise<Opening> {
  const known = openings.get(document + rid);
  if (known) return known;
  const opening = new Promise<Opening>((resolve) => {
    const opener = findOpener();
    window.addEventListener('message', function onMessage(event: MessageEvent<unknown>) {
      const [port] = event.ports;
      if (opener === null || event.source !== opener || port === undefined) return;
      if (targetOrigin !== '*' && event.origin !== targetOrigin) return;
      const init = readMessage(WINDOW_MESSAGES, event.data);
      if (init?.t !== 'init' || init.rid !== rid) return;
      window.removeEventListener('message', onMessage);
      resolve({ origin: event.origin, init, port });
    });
    opener?.postMessage(writeMessage({ t: 'hello', rid, document }), targetOrigin);
  });
  openings.set(document + rid, opening);
  return opening;
}

export function openHost({ port }: Opening, receive: (message: FromWidget) => void): Host {
  return openChannel<typeof FROM_WIDGET, FromCheckout>(port, FROM_WIDGET, receive);
}

/** Frames between this one and the top: every one must be the very page that opened us. */
export function findForeignAncestor(origin: string): string | null {
  const ancestors: string[] = Array.from(window.location.ancestorOrigins ?? []);
  return ancestors.find((ancestor) => ancestor !== origin) ?? null;
}
