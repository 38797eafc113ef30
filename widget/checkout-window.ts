import type { Notify } from './callbacks';
import type { Init } from './contract';
import { adoptWindow, openFirstPartyWindow } from './first-party-window';
import { connect } from './handshake';
import type { KeyStore } from './key-store';
import { handleMessage, type WindowLink } from './message-handler';
import type { OpenerPolicy } from './opener-policy';
import type { Config } from './options';
import { openOverlay } from './overlay';
import type { PendingPayments } from './pending-payments';
import type { Surface } from './surface';
import { challengeOf, findVisit, forgetVisit, keepVisit, newVisit, type Visit } from './visit';

export type CheckoutWindow = {
  close(): void;
  focus(): void;
  isOpen(): boolean;
  /** Resolves when it is closed: true if the user signed in, or the app can spend more. */
  outcome: Promise<boolean>;
  /** Polling found the payment complete before the checkout reported it. */
  noteEnd(sessionId: string, purchase: Visit['purchase']): void;
};

/** The gate tells only the user why: a page that is not the app's own learns nothing. */
const REFUSED =
  '[svc] The checkout was closed before it opened. If it showed an address, register that origin in the partner dashboard; if not, check publishableKey.';

/** The state shared by all visits of one page. */
export type App = {
  config: Config;
  serviceOrigin: string;
  keys: KeyStore;
  payments: PendingPayments;
  notify: Notify;
  policy: () => OpenerPolicy;
};

/** Opens the checkout in the display the app chose, or as an overlay where that is not possible. */
export function openCheckout(app: App, amount: number | null, onClosed: () => void): CheckoutWindow {
  const { config, policy, serviceOrigin } = app;
  const visit = newVisit();
  const { locale } = config;
  const search = locale === null ? '' : `?locale=${locale}`;
  const url = `${config.checkoutUrl}/gate${search}#${visit.rid}`;
  return connectWindow({ app, visit, amount, onClosed }, ({ dismiss, close, move }) => {
    const overlay = () => openOverlay({ url, serviceOrigin, locale, onDismiss: dismiss, onRemoved: close });
    if (config.display === 'embedded') return overlay();
    const fallBack = (reason: string): Surface => {
      warnOnce(`[svc] The checkout opens as an overlay: ${reason}.`);
      return overlay();
    };
    const opened = openFirstPartyWindow({
      display: config.display,
      url,
      policy,
      onClosed: close,
      onLost: () => move(fallBack('the window cannot communicate with this page')),
    });
    return typeof opened === 'string' ? fallBack(opened) : opened;
  });
}

/** Reconnects to a window that an earlier load of this page opened. */
export function resumeCheckout(app: App, onClosed: () => void): CheckoutWindow | undefined {
  const visit = findVisit(app.config.publishableKey);
  if (visit === null) return undefined;
  return connectWindow({ app, visit, amount: null, onClosed }, ({ close, abandon }) =>
    adoptWindow({ onClosed: close, onSilence: abandon }),
  );
}

type VisitOptions = { app: App; visit: Visit; amount: number | null; onClosed(): void };

/** The operations of a surface on its window. */
type Controls = {
  /** The window is gone or no longer needed. */
  close(): void;
  /** Like `close`, for a window that may not have been ours: the app is not notified. */
  abandon(): void;
  /** The user wants to close it. */
  dismiss(): void;
  move(to: Surface): void;
};

/** Connects a window to this page, from the user's click until focus returns. */
function connectWindow(
  { app, visit, amount, onClosed }: VisitOptions,
  show: (controls: Controls) => Surface,
): CheckoutWindow {
  const { config, serviceOrigin, keys, payments, notify } = app;
  let isPaying = false;
  let isCloseRequested = false;
  let isClosed = false;
  let hasChanged = false;
  let greetedBy: 'gate' | 'session' | undefined;
  let conclude: (hasChanged: boolean) => void = () => {};
  const outcome = new Promise<boolean>((resolve) => {
    conclude = resolve;
  });
  // Messages are handled one after another: callbacks keep their order, although a key exchange takes a
  // moment.
  let work = Promise.resolve();

  let surface = show({ close, abandon, dismiss, move });
  const connection = connect(visit.rid, {
    isPeer: (source) => surface.isPeer(source),
    checkoutOrigin: serviceOrigin,
    init: () => initMessage(config, surface.isOverlay(), amount, visit),
    onHello(document) {
      greetedBy = document;
      isPaying = false;
      surface.reveal(document === 'session');
    },
    onMessage(message) {
      work = work
        .then(() => handleMessage(app, link, message))
        .catch((error) => console.error('[svc]', error));
    },
  });
  const link: WindowLink = {
    visit,
    send: connection.send,
    isOpen: () => !isClosed && surface.isOpen(),
    isOverlay: () => surface.isOverlay(),
    setPaying(paying) {
      isPaying = paying;
      isCloseRequested = false;
    },
    keep() {
      // A reload of the page removes an overlay, but not a window.
      if (!surface.isOverlay()) keepVisit(config.publishableKey, visit);
    },
    noteChange() {
      hasChanged = true;
    },
    close,
  };
  link.keep();

  function move(to: Surface): void {
    surface.remove();
    surface = to;
    forgetVisit(config.publishableKey);
  }

  /** During a payment the checkout asks the user to confirm, once. */
  function dismiss(): void {
    if (!isPaying || isCloseRequested) return close();
    isCloseRequested = true;
    connection.send({ t: 'close_requested' });
  }

  function close(): void {
    if (isClosed) return;
    abandon();
    if (greetedBy === 'gate') console.warn(REFUSED);
    // Messages that arrived before the end are handled first.
    void work.then(() => {
      if (visit.purchase) notify('onComplete', { user_key: keys.read(), ...visit.purchase });
      conclude(hasChanged);
    });
    payments.resume();
  }

  function abandon(): void {
    isClosed = true;
    connection.end();
    if (!surface.isOverlay()) forgetVisit(config.publishableKey);
    surface.remove();
    onClosed();
  }

  return {
    close,
    focus: () => surface.focus(),
    isOpen: link.isOpen,
    outcome,
    noteEnd(sessionId, purchase) {
      if (sessionId !== visit.sessionId) return;
      visit.purchase = purchase;
      hasChanged = true;
    },
  };
}

function initMessage(config: Config, isOverlay: boolean, amount: number | null, visit: Visit): Init {
  return {
    t: 'init',
    rid: visit.rid,
    challenge: challengeOf(visit),
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
