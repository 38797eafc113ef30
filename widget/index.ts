import type { Failure, InitOptions, OpenOptions, SvcWidget } from './api';
import { createNotifier, type Notify } from './callbacks';
import { type App, type CheckoutWindow, openCheckout, resumeCheckout } from './checkout-window';
import { createKeyStore } from './key-store';
import { watchOpenerPolicy } from './opener-policy';
import { type Config, readAmount, readOptions } from './options';
import { createPendingPayments } from './pending-payments';

declare const SVC_VERSION: string;
/** A placeholder, replaced by an installation whose checkout is not on the same host as its script. */
declare const SVC_CHECKOUT_URL: string;

/** Calls queued by the documented snippet before this script has loaded. */
type Call = [method: 'init' | 'open' | 'close', options?: never];
type Stub = { q?: Call[] };

function createWidget(defaultCheckout: string): SvcWidget {
  let app: App | undefined;
  let fingerprint: string | undefined;
  let opened: CheckoutWindow | undefined;
  const forget = () => {
    opened = undefined;
  };

  function init(options: InitOptions): void {
    const { config, problems, unknown } = readOptions(options, defaultCheckout);
    const print = JSON.stringify({ ...config, callbacks: null });
    if (app !== undefined) {
      // Pages that render again pass new functions, and those of before belong to what is gone.
      Object.assign(app.config.callbacks, config.callbacks);
      if (fingerprint !== print)
        console.warn('[svc] init() was called again with different options. Only its callbacks are used.');
      return;
    }
    fingerprint = print;
    app = createApp(config);
    for (const problem of problems) report(app.notify, problem);
    // Not an error: a page may be newer than the widget version it pinned.
    for (const name of unknown) console.warn(`[svc] init() has no option "${name}". Is it misspelled?`);
    if (config.publishableKey === '') return;
    opened = resumeCheckout(app, forget);
    app.payments.resume();
  }

  function createApp(config: Config): App {
    const keys = createKeyStore(config.publishableKey);
    const notify = createNotifier(config.callbacks);
    const serviceOrigin = new URL(config.checkoutUrl).origin;
    const payments = createPendingPayments({
      publishableKey: config.publishableKey,
      origin: serviceOrigin,
      readKey: keys.read,
      onEnd(sessionId, end) {
        if (end.status === 'failed') return notify('onPurchaseError', { error: end.error });
        const { balance, credits_added } = end;
        opened?.noteEnd(sessionId, { balance, credits_added });
        notify('onCreditsAdded', { type: 'purchase', user_key: keys.read(), balance, credits_added });
      },
    });
    const policy = config.display === 'embedded' ? () => 'unknown' as const : watchOpenerPolicy();
    return { config, serviceOrigin, keys, payments, notify, policy };
  }

  async function open(options?: OpenOptions): Promise<boolean> {
    if (!app) console.warn('[svc] Call init() before open().');
    else if (opened?.isOpen()) opened.focus();
    else {
      // The page removed it, or its window did not reconnect after a reload.
      opened?.close();
      opened = begin(app, options);
    }
    return opened?.outcome ?? false;
  }

  function begin(app: App, options?: OpenOptions): CheckoutWindow | undefined {
    if (app.config.publishableKey === '') {
      report(app.notify, 'publishableKey is missing or invalid, so the checkout cannot open');
      return undefined;
    }
    const { amount, problem } = readAmount(options);
    if (problem) report(app.notify, problem);
    return openCheckout(app, amount, forget);
  }

  return {
    version: SVC_VERSION,
    init: guard(init),
    open: (options) => open(options).catch(fail),
    close: guard(() => opened?.close()),
    getUserKey: () => app?.keys.read() ?? null,
  };

  function fail(error: unknown): false {
    console.error('[svc]', error);
    app?.notify('onError', {
      error: { code: 'internal_error', message: 'The checkout could not be opened.' },
    });
    return false;
  }

  /** The widget must never break the page: errors are reported through `onError`. */
  function guard<Arguments extends unknown[]>(
    work: (...given: Arguments) => void,
  ): (...given: Arguments) => void {
    return (...given) => {
      try {
        work(...given);
      } catch (error) {
        fail(error);
      }
    };
  }
}

function report(notify: Notify, message: string): void {
  console.error(`[svc] ${message}`);
  const error: Failure = { code: 'invalid_options', message };
  notify('onError', { error });
}

/** On the host of this script, unless the installation sets another address. */
function findCheckout(): string {
  if (SVC_CHECKOUT_URL.startsWith('http')) return SVC_CHECKOUT_URL;
  // A module has no current script.
  const script = document.currentScript ?? document.querySelector('script[src*="/svc.js"]');
  return new URL('/checkout', (script as HTMLScriptElement | null)?.src || location.href).href;
}

const page = window as { Svc?: Partial<SvcWidget> & Stub };
if (!page.Svc?.version) {
  const waiting = page.Svc?.q ?? [];
  const widget = createWidget(findCheckout());
  const run = ([method, options]: Call) => widget[method](options as never);
  // The page may have kept a reference to the snippet's object or its functions.
  page.Svc = Object.assign(page.Svc ?? {}, widget);
  waiting.push = (...calls) => {
    for (const call of calls) run(call);
    return 0;
  };
  for (const call of waiting) run(call);
}
