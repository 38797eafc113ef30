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

/** The page that opened this window, once it has responded to our hello. */
export type Opener = {
  /** Attested by the browser. */
  origin: string;
  init: Init;
  port: MessagePort;
};

export type Host = { send(message: FromCheckout): void };

/** The page that framed or opened this window; null if the user came here directly. */
export function findOpener(): Window | null {
  if (isFramed()) return window.parent;
  return (window.opener as Window | null) ?? null;
}

export const isFramed = (): boolean => window.parent !== window;

type Greeting = { document: 'gate' | 'session'; rid: string; targetOrigin: string };

/**
 * Says hello to the opener and accepts `init` from that window only. `targetOrigin` is `*` for the
 * gate, whose hello reveals nothing, and the visit's own origin afterwards. Returns a function that
 * repeats the hello.
 */
function greet({ document, rid, targetOrigin }: Greeting, onInit: (opener: Opener) => void): () => void {
  const target = findOpener();
  const hello = writeMessage({ t: 'hello' as const, rid, document, page: Math.random().toString(36) });
  window.addEventListener('message', (event: MessageEvent<unknown>) => {
    const [port] = event.ports;
    if (target === null || event.source !== target || port === undefined) return;
    if (targetOrigin !== '*' && event.origin !== targetOrigin) return;
    const init = readMessage(WINDOW_MESSAGES, event.data);
    if (init?.t === 'init' && init.rid === rid) onInit({ origin: event.origin, init, port });
  });
  const sayHello = () => target !== null && postHello(target, hello, targetOrigin);
  sayHello();
  return sayHello;
}

let atGate: Promise<Opener> | undefined;

/** Finds the opener of the gate. The first response counts, even if React mounts the gate twice. */
export function meetOpener(rid: string): Promise<Opener> {
  atGate ??= new Promise((resolve) => greet({ document: 'gate', rid, targetOrigin: '*' }, resolve));
  return atGate;
}

function postHello(opener: Window, hello: object, targetOrigin: string): void {
  try {
    opener.postMessage(hello, targetOrigin);
  } catch {
    // Some browsers reject the custom scheme of an app as a target. A hello is no secret, and its response is
    // verified.
    opener.postMessage(hello, '*');
  }
}

const HELLO_MS = 2500;

/**
 * Connects the session document to its page. A window remains open when that page is reloaded, and is not
 * notified of it, so it keeps saying hello. A page that is already connected ignores that.
 */
export function keepHost(rid: string, origin: string, receive: (message: FromWidget) => void) {
  let channel: Host | undefined;
  const opened = new Promise<Init>((resolve) => {
    const sayHello = greet({ document: 'session', rid, targetOrigin: origin }, ({ port, init }) => {
      channel = openChannel<typeof FROM_WIDGET, FromCheckout>(port, FROM_WIDGET, receive);
      channel.send({ t: 'ready' });
      resolve(init);
    });
    if (!isFramed()) setInterval(sayHello, HELLO_MS);
  });
  const host: Host = {
    send(message) {
      channel?.send(message);
      // The page closes its window. If the page is gone, the window closes itself.
      if (message.t === 'close' && !isFramed()) setTimeout(() => window.close(), HELLO_MS);
    },
  };
  return { opened, host };
}

/** The first frame above us with a different origin than the opener. There must be none. */
export function findForeignAncestor(origin: string): string | null {
  const ancestors: string[] = Array.from(window.location.ancestorOrigins ?? []);
  return ancestors.find((ancestor) => ancestor !== origin) ?? null;
}
