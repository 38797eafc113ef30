import type { Notify } from './callbacks';
import type { FromCheckout, Init } from './contract';
import { converse } from './handshake';
import { createVerifier, exchangeToken, forgetVerifier } from './key-exchange';
import type { KeyStore } from './key-store';
import type { Config } from './options';
import { openOverlay } from './overlay';

export type CheckoutWindow = { close(): void; focus(): void };

type Purchase = { balance: number; credits_added: number };

/** One opening of the checkout, from the click to the return of the focus. */
export function openCheckout(
  config: Config,
  amount: number | null,
  keys: KeyStore,
  notify: Notify,
  onClosed: () => void,
): CheckoutWindow {
  const serviceOrigin = new URL(config.checkoutUrl).origin;
  const verifier = createVerifier();
  let paying = false;
  let askedToClose = false;
  let purchase: Purchase | null = null;
  let closed = false;
  // Callbacks keep the order of the messages, although an exchange takes a moment.
  let work = Promise.resolve();

  const overlay = openOverlay({
    frameUrl: gateUrl(config, verifier.rid),
    windowUrl: gateUrl(config, verifier.rid),
    onDismiss: dismiss,
  });
  const conversation = converse(verifier.rid, {
    peer: overlay.peer,
    checkoutOrigin: serviceOrigin,
    init: () => initMessage(config, amount, verifier),
    onHello: () => {
      paying = false;
      overlay.reveal();
    },
    onMessage: (message) => {
      work = work.then(() => handle(message));
    },
  });

  /** The user wants out. While money moves, the checkout asks first; asking once is enough. */
  function dismiss(): void {
    if (paying && !askedToClose) {
      askedToClose = true;
      conversation.send({ t: 'close_requested' });
    } else close();
  }

  function close(): void {
    if (closed) return;
    closed = true;
    conversation.end();
    forgetVerifier(verifier);
    overlay.remove();
    onClosed();
    if (purchase) notify('onComplete', { user_key: keys.read(), ...purchase });
  }

  async function handle(message: FromCheckout): Promise<void> {
    switch (message.t) {
      case 'ready':
        return conversation.send({ t: 'held_key', user_key: keys.read() });
      case 'signed_in':
        return exchange(message.token);
      case 'forget_key':
        return keys.clear();
      case 'logged_out':
        keys.clear();
        return notify('onLoggedOut');
      case 'checkout_opened':
        return notify('onCheckoutOpened', {
          session_id: message.session_id,
          user_key: keys.read(),
          ...(message.checkout_url !== null && { checkout_url: message.checkout_url }),
        });
      case 'credits_added': {
        const { type, balance, credits_added } = message;
        if (type === 'purchase') purchase = { balance, credits_added };
        return notify('onCreditsAdded', { type, user_key: keys.read(), balance, credits_added });
      }
      case 'purchase_error':
        return notify('onPurchaseError', { error: message.error });
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
    const key = await exchangeToken(serviceOrigin, publishableKey, token, verifier, metadata).catch(
      () => null,
    );
    conversation.send({ t: 'key_exchanged', ok: key !== null });
    if (!key)
      return notify('onError', {
        error: { code: 'sign_in_failed', message: 'The user key could not be fetched.' },
      });
    keys.write(key.user_key);
    notify('onLoginCompleted', key);
  }

  return { close, focus: overlay.focus };
}

function gateUrl(config: Config, rid: string): string {
  return `${config.checkoutUrl}/gate#${rid}`;
}

function initMessage(
  config: Config,
  amount: number | null,
  { rid, challenge }: { rid: string; challenge: string },
): Init {
  return {
    t: 'init',
    rid,
    challenge,
    publishable_key: config.publishableKey,
    currency: config.currency,
    // Every display is an overlay in this version.
    display: 'embedded',
    checkout_mode: config.checkoutMode,
    amount,
    metadata: config.metadata,
  };
}
