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
  if (isFramed()) return window.parent;
  return (window.opener as Window | null) ?? null;
}

export const isFramed = (): boolean => window.parent !== window;

/** Says hello to the opener once, whatever React mounts twice. */
export function sayHello(document: 'gate' | 'session', rid: string, targetOrigin: string): Promise<Opening> {
  const known = openings.get(document + rid);
  if (known) return known;
  const opening = greet(document, rid, targetOrigin);
  openings.set(document + rid, opening);
  return opening;
}

const REPEAT_MS = 1000;

/**
 * Says hello until the opener answers, and takes its first `init`, from that window only. `targetOrigin`
 * is `*` for the gate, whose hello says nothing, and the visit's own origin afterwards.
 */
function greet(
  document: 'gate' | 'session',
  rid: string,
  targetOrigin: string,
  repeatMs?: number,
): Promise<Opening> {
  return new Promise<Opening>((resolve) => {
    const opener = findOpener();
    const hello = () =>
      opener && postHello(opener, writeMessage({ t: 'hello', rid, document }), targetOrigin);
    const repetition = repeatMs === undefined ? undefined : setInterval(hello, repeatMs);
    window.addEventListener('message', function onMessage(event: MessageEvent<unknown>) {
      const [port] = event.ports;
      if (opener === null || event.source !== opener || port === undefined) return;
      if (targetOrigin !== '*' && event.origin !== targetOrigin) return;
      const init = readMessage(WINDOW_MESSAGES, event.data);
      if (init?.t !== 'init' || init.rid !== rid) return;
      window.removeEventListener('message', onMessage);
      clearInterval(repetition);
      resolve({ origin: event.origin, init, port });
    });
    hello();
  });
}

function postHello(opener: Window, hello: object, targetOrigin: string): void {
  try {
    opener.postMessage(hello, targetOrigin);
  } catch {
    // Some browsers cannot address an app's own scheme. A hello is no secret, and its answer is checked.
    opener.postMessage(hello, '*');
  }
}

/**
 * The page behind the session document. A window outlives a reload of its opener: it says hello
 * again then, and what it has to say waits until somebody answers.
 */
export function keepHost(
  rid: string,
  origin: string,
  receive: (message: FromWidget) => void,
): { opened: Promise<Init>; host: Host } {
  let channel: Host | null = null;
  const unsent: FromCheckout[] = [];

  function connect({ port, init }: Opening): Init {
    channel = openChannel<typeof FROM_WIDGET, FromCheckout>(port, FROM_WIDGET, receive);
    port.addEventListener('close', () => {
      channel = null;
      if (!isFramed()) void greet('session', rid, origin, REPEAT_MS).then(connect);
    });
    channel.send({ t: 'ready' });
    for (const message of unsent.splice(0)) channel.send(message);
    return init;
  }

  return {
    opened: sayHello('session', rid, origin).then(connect),
    host: { send: (message) => (channel ? channel.send(message) : void unsent.push(message)) },
  };
}

/** Frames between this one and the top: every one must be the very page that opened us. */
export function findForeignAncestor(origin: string): string | null {
  const ancestors: string[] = Array.from(window.location.ancestorOrigins ?? []);
  return ancestors.find((ancestor) => ancestor !== origin) ?? null;
}
