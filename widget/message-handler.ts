import type { Failure } from './api';
import type { App } from './checkout-window';
import type { FromCheckout, FromWidget } from './contract';
import { exchangeToken } from './key-exchange';
import type { Visit } from './visit';

/** The open window of a visit, as far as its messages need it. */
export type WindowLink = {
  visit: Visit;
  send(message: FromWidget): void;
  isOpen(): boolean;
  isOverlay(): boolean;
  setPaying(paying: boolean): void;
  /** Stores the state of the visit, for a reload of the page. */
  keep(): void;
  /** The user signed in, or the app can spend more. */
  noteChange(): void;
  close(): void;
};

type Message<Type extends FromCheckout['t']> = Extract<FromCheckout, { t: Type }>;

/** Acts on a message of the checkout and notifies the app of it. */
export async function handleMessage(app: App, link: WindowLink, message: FromCheckout): Promise<void> {
  const { keys, notify } = app;
  switch (message.t) {
    case 'ready':
      // A window on the site of the checkout identifies its user by cookie, so it gets no key.
      return link.send({ t: 'held_key', user_key: link.isOverlay() ? keys.read() : null });
    case 'signed_in':
      return exchange(app, link, message.token);
    case 'forget_key':
      return keys.clear();
    case 'logged_out':
      keys.clear();
      return notify('onLoggedOut');
    case 'checkout_opened':
      return notifyOpened(app, link, message);
    case 'credits_added':
      return notifyAdded(app, link, message);
    case 'purchase_error':
      return notifyFailed(app, link, message.error);
    case 'error':
      return notify('onError', { error: message.error });
    case 'paying':
      return link.setPaying(message.paying);
    case 'close':
      return link.close();
  }
}

async function exchange(
  { config, serviceOrigin, keys, payments, notify }: App,
  link: WindowLink,
  token: string,
) {
  const { publishableKey, metadata } = config;
  const { verifier } = link.visit;
  const heldKey = keys.read();
  const login = await exchangeToken(serviceOrigin, {
    publishableKey,
    token,
    verifier,
    metadata,
    heldKey,
  }).catch(() => null);
  link.send({ t: 'key_exchanged', ok: login !== null });
  if (!login) {
    const message = 'The user key could not be fetched.';
    return notify('onError', { error: { code: 'sign_in_failed', message } });
  }
  keys.write(login.user_key);
  link.noteChange();
  notify('onLoginCompleted', login);
  payments.resume();
}

function notifyOpened(
  { keys, payments, notify }: App,
  link: WindowLink,
  { session_id, checkout_url }: Message<'checkout_opened'>,
): void {
  link.visit.sessionId = session_id;
  link.keep();
  payments.add(session_id, link);
  notify('onCheckoutOpened', {
    session_id,
    user_key: keys.read(),
    ...(checkout_url !== null && { checkout_url }),
  });
}

function notifyAdded(
  app: App,
  link: WindowLink,
  { type, balance, credits_added }: Message<'credits_added'>,
): void {
  link.noteChange();
  if (type === 'purchase') {
    link.visit.purchase = { balance, credits_added };
    link.keep();
    if (!isFirstToReport(app, link.visit)) return;
  }
  app.notify('onCreditsAdded', { type, user_key: app.keys.read(), balance, credits_added });
}

function notifyFailed(app: App, { visit }: WindowLink, error: Failure): void {
  const isFinal = error.code === 'payment_failed' || error.code === 'payment_expired';
  if (isFinal && !isFirstToReport(app, visit)) return;
  app.notify('onPurchaseError', { error });
}

/** The end of a payment may already have been found by polling, here or in another tab. */
function isFirstToReport({ payments }: App, { sessionId }: Visit): boolean {
  return sessionId === null || payments.take(sessionId);
}
