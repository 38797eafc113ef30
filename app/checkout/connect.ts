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

/** The page that framed or opened this window; null when somebody came here directly. */
export function findOpener(): Window | null {
  if (isFramed()) return window.parent;
  return (window.opener as Window | null) ?? null;
}

export const isFramed = (): boolean => window.parent !== window;

type Greeting = { document: 'gate' | 'session'; rid: string; targetOrigin: string };

/**
 * Says hello to the opener and takes `init` from that window only. `targetOrigin` is `*` for the
 * gate, whose hello says nothing, and the visit's own origin afterwards. Returns how to say it again.
 */
function greet({ document, rid, targetOrigin }: Greeting, onInit: (opening: Opening) => void): () => void {
  const opener = findOpener();
  const hello = writeMessage({ t: 'hello' as const, rid, document, page: Math.random().toString(36) });
  window.addEventListener('message', (event: MessageEvent<unknown>) => {
    const [port] = event.ports;
    if (opener === null || event.source !== opener || port === undefined) return;
    if (targetOrigin !== '*' && event.origin !== targetOrigin) return;
    const init = readMessage(WINDOW_MESSAGES, event.data);
    if (init?.t === 'init' && init.rid === rid) onInit({ origin: event.origin, init, port });
  });
  const sayHello = () => opener !== null && postHello(opener, hello, targetOrigin);
  sayHello();
  return sayHello;
}

let atGate: Promise<Opening> | undefined;

/** Who opened the gate: its first answer counts, once, whatever React mounts twice. */
export function meetOpener(rid: string): Promise<Opening> {
  atGate ??= new Promise((resolve) => greet({ document: 'gate', rid, targetOrigin: '*' }, resolve));
  return atGate;
}

function postHello(opener: Window, hello: object, targetOrigin: string): void {
  try {
    opener.postMessage(hello, targetOrigin);
  } catch {
    // Some browsers cannot address an app's own scheme. A hello is no secret, and its answer is checked.
    opener.postMessage(hello, '*');
  }
}

const HELLO_MS = 2500;

/**
 * The page behind the session document. A window outlives a reload of its page, and nothing tells
 * it: it goes on saying hello, and the page that knows it already does not listen.
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
      // The page closes its window; one whose page is gone closes itself.
      if (message.t === 'close' && !isFramed()) setTimeout(() => window.close(), HELLO_MS);
    },
  };
  return { opened, host };
}

/** Frames between this one and the top: every one must be the very page that opened us. */
export function findForeignAncestor(origin: string): string | null {
  const ancestors: string[] = Array.from(window.location.ancestorOrigins ?? []);
  return ancestors.find((ancestor) => ancestor !== origin) ?? null;
}
