import {
  FROM_CHECKOUT,
  type FromCheckout,
  type FromWidget,
  type Init,
  openChannel,
  readMessage,
  WINDOW_MESSAGES,
  writeMessage,
} from './contract';

export type Connection = { send(message: FromWidget): void; end(): void };

type Party = {
  /** Whether this is the window we opened. Only that window gets a response. */
  isPeer(source: Window): boolean;
  checkoutOrigin: string;
  init: () => Init;
  onHello(document: 'gate' | 'session'): void;
  onMessage(message: FromCheckout): void;
};

/**
 * Waits for `hello` from the gate, then from the session document, and responds to each with `init` and
 * a new port. Accepts only messages from our window, from the checkout's origin, with the id of
 * this visit.
 */
export function connect(rid: string, party: Party): Connection {
  let channel: { send(message: FromWidget): void; close(): void } | undefined;
  let greeted: string | undefined;

  function onWindowMessage({ origin, source, data }: MessageEvent<unknown>): void {
    if (origin !== party.checkoutOrigin) return;
    const hello = readMessage(WINDOW_MESSAGES, data);
    if (hello?.t !== 'hello' || hello.rid !== rid) return;
    const peer = source as Window | null;
    if (!peer || !party.isPeer(peer) || hello.page === greeted) return;
    greeted = hello.page;
    channel?.close();
    const { port1, port2 } = new MessageChannel();
    // The gate sends nothing over its port: only the session document is listened to.
    channel = openChannel(port1, FROM_CHECKOUT, (message) => {
      if (hello.document === 'session') party.onMessage(message);
    });
    party.onHello(hello.document);
    peer.postMessage(writeMessage(party.init()), party.checkoutOrigin, [port2]);
  }

  window.addEventListener('message', onWindowMessage);
  return {
    send: (message) => channel?.send(message),
    end() {
      window.removeEventListener('message', onWindowMessage);
      channel?.close();
    },
  };
}
