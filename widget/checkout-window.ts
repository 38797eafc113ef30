import type { Notify } from './callbacks';
import type { FromCheckout, Init } from './contract';
import { adoptWindow, openFirstPartyWindow } from './first-party-window';
import { converse } from './handshake';
import { exchangeToken } from './key-exchange';
import type { KeyStore } from './key-store';
import type { OpenerPolicy } from './opener-policy';
import { challengeOf, findOpening, forgetOpening, keepOpening, newOpening, type Opening } from './opening';
import type { Config } from './options';
import { openOverlay } from './overlay';
import type { PendingPayments } from './pending-payments';
import type { Surface } from './surface';

export type CheckoutWindow = {
  close(): void;
  focus(): void;
  isOpen(): boolean;
  /** A payment was found complete without the checkout's word. */
  noteEnd(sessionId: string, purchase: Opening['purchase']): void;
};

/** What the openings of one page share. */
export type App = {
  config: Config;
  serviceOrigin: string;
  keys: KeyStore;
  payments: PendingPayments;
  notify: Notify;
  policy: () => OpenerPolicy;
};

/** Opens the checkout as the app wants it, and over the page where that cannot be. */
export function openCheckout(app: App, amount: number | null, onClosed: () => void): CheckoutWindow {
  const { config, policy } = app;
  const opening = newOpening();
  const url = `${config.checkoutUrl}/gate#${opening.rid}`;
  const { serviceOrigin } = app;
  const overlay = ({ dismiss, close }: Talk) =>
    openOverlay({ url, serviceOrigin, onDismiss: dismiss, onRemoved: close });
  return talkTo(app, opening, amount, onClosed, (talk) => {
    if (config.display === 'embedded') return overlay(talk);
    const fallBack = (reason: string): Surface => {
      warnOnce(`[svc] the checkout opens as an overlay: ${reason}.`);
      return overlay(talk);
    };
    const opened = openFirstPartyWindow({
      display: config.display,
      url,
      policy,
      onClosed: talk.close,
      onLost: () => talk.move(fallBack('the window cannot talk to this page')),
    });
    return typeof opened === 'string' ? fallBack(opened) : opened;
  });
}

/** Takes up the talk with a window that an earlier load of this page opened. */
export function resumeCheckout(app: App, onClosed: () => void): CheckoutWindow | undefined {
  const opening = findOpening(app.config.publishableKey);
  if (opening === null) return undefined;
  return talkTo(app, opening, null, onClosed, ({ close, abandon }) =>
    adoptWindow({ onClosed: close, onSilence: abandon }),
  );
}

type Talk = { close(): void; abandon(): void; dismiss(): void; move(to: Surface): void };

/** One opening of the checkout, from the click to the return of the focus. */
function talkTo(
  app: App,
  opening: Opening,
  amount: number | null,
  onClosed: () => void,
  show: (talk: Talk) => Surface,
): CheckoutWindow {
  const { config, serviceOrigin, keys, payments, notify } = app;
  let paying = false;
  let askedToClose = false;
  let closed = false;
  // Callbacks keep the order of the messages, although an exchange takes a moment.
  let work = Promise.resolve();

  let surface = show({
    close,
    abandon,
    dismiss,
    move(to) {
      surface.remove();
      surface = to;
      forgetOpening(config.publishableKey);
    },
  });
  keep();
  const conversation = converse(opening.rid, {
    isPeer: (source) => surface.isPeer(source),
    checkoutOrigin: serviceOrigin,
    init: () => initMessage(config, surface.isOverlay(), amount, opening),
    onHello() {
      paying = false;
      surface.reveal();
    },
    onMessage(message) {
      work = work.then(() => handle(message)).catch((error) => console.error('[svc]', error));
    },
  });
  const isOpen = (): boolean => !closed && surface.isOpen();

  /** A reload of the page takes an overlay with it, but not a window. */
  function keep(): void {
    if (!surface.isOverlay()) keepOpening(config.publishableKey, opening);
  }

  /** The user wants out. While money moves, the checkout asks first; asking once is enough. */
  function dismiss(): void {
    if (paying && !askedToClose) {
      askedToClose = true;
      conversation.send({ t: 'close_requested' });
    } else close();
  }

  function close(): void {
    if (closed) return;
    abandon();
    // What was said before the end is heard first.
    void work.then(() => {
      if (opening.purchase) notify('onComplete', { user_key: keys.read(), ...opening.purchase });
    });
    payments.resume();
  }

  function abandon(): void {
    closed = true;
    conversation.end();
    if (!surface.isOverlay()) forgetOpening(config.publishableKey);
    surface.remove();
    onClosed();
  }

  async function handle(message: FromCheckout): Promise<void> {
    switch (message.t) {
      case 'ready':
        // A window of the checkout's own site knows its user itself: no key goes there.
        return conversation.send({ t: 'held_key', user_key: surface.isOverlay() ? keys.read() : null });
      case 'signed_in':
        return exchange(message.token);
      case 'forget_key':
        return keys.clear();
      case 'logged_out':
        keys.clear();
        return notify('onLoggedOut');
      case 'checkout_opened':
        return tellOpened(message.session_id, message.checkout_url);
      case 'credits_added':
        return tellAdded(message);
      case 'purchase_error':
        return tellFailed(message.error);
      case 'error':
        return notify('onError', { error: message.error });
      case 'paying':
        paying = message.paying;
        askedToClose = false;
        return;
      case 'close':
        return close();
    }
  }

  async function exchange(token: string): Promise<void> {
    const { publishableKey, metadata } = config;
    const heldKey = keys.read();
    const { verifier } = opening;
    const wish = { publishableKey, token, verifier, metadata, heldKey };
    const login = await exchangeToken(serviceOrigin, wish).catch(() => null);
    conversation.send({ t: 'key_exchanged', ok: login !== null });
    if (!login)
      return notify('onError', {
        error: { code: 'sign_in_failed', message: 'The user key could not be fetched.' },
      });
    keys.write(login.user_key);
    notify('onLoginCompleted', login);
    payments.resume();
  }

  function tellOpened(sessionId: string, checkoutUrl: string | null): void {
    opening.sessionId = sessionId;
    keep();
    payments.add(sessionId, { isOpen, isOverlay: () => surface.isOverlay() });
    notify('onCheckoutOpened', {
      session_id: sessionId,
      user_key: keys.read(),
      ...(checkoutUrl !== null && { checkout_url: checkoutUrl }),
    });
  }

  function tellAdded({ type, balance, credits_added }: Extract<FromCheckout, { t: 'credits_added' }>): void {
    if (type === 'purchase') {
      opening.purchase = { balance, credits_added };
      keep();
      if (opening.sessionId !== null && !payments.take(opening.sessionId)) return;
    }
    notify('onCreditsAdded', { type, user_key: keys.read(), balance, credits_added });
  }

  function tellFailed(error: { code: string; message: string }): void {
    const isFinal = error.code === 'payment_failed' || error.code === 'payment_expired';
    if (isFinal && opening.sessionId !== null && !payments.take(opening.sessionId)) return;
    notify('onPurchaseError', { error });
  }

  return {
    close,
    focus: () => surface.focus(),
    isOpen,
    noteEnd(sessionId, purchase) {
      if (sessionId === opening.sessionId) opening.purchase = purchase;
    },
  };
}

function initMessage(config: Config, isOverlay: boolean, amount: number | null, opening: Opening): Init {
  return {
    t: 'init',
    rid: opening.rid,
    challenge: challengeOf(opening),
    publishable_key: config.publishableKey,
    currency: config.currency,
    display: isOverlay ? 'embedded' : config.display,
    checkout_mode: config.checkoutMode,
    amount,
    metadata: config.metadata,
  };
}

const warned = new Set<string>();

function warnOnce(message: string): void {
  if (!warned.has(message)) console.warn(message);
  warned.add(message);
}
