import { createNotifier, type Notify } from './callbacks';
import { type CheckoutWindow, openCheckout } from './checkout-window';
import { createKeyStore, type KeyStore } from './key-store';
import { type Config, type InitOptions, type OpenOptions, readAmount, readOptions } from './options';

declare const SVC_VERSION: string;

export type SvcWidget = {
  version: string;
  init(options: InitOptions): void;
  open(options?: OpenOptions): void;
  close(): void;
  getUserKey(): string | null;
};

type Started = { config: Config; fingerprint: string; keys: KeyStore; notify: Notify };
/** What the documented snippet leaves behind when it is used before this script has loaded. */
type Queue = { q?: [method: 'init' | 'open' | 'close', options?: never][] };

const scriptUrl = (document.currentScript as HTMLScriptElement | null)?.src || location.href;

function createWidget(): SvcWidget {
  let started: Started | undefined;
  let opened: CheckoutWindow | undefined;

  function init(options: InitOptions): void {
    const { config, problems } = readOptions(options, scriptUrl);
    const fingerprint = JSON.stringify({ ...config, callbacks: Object.keys(config.callbacks) });
    if (started) {
      if (started.fingerprint !== fingerprint)
        console.warn('[svc] init() was called again with other options: ignored.');
      return;
    }
    started = {
      config,
      fingerprint,
      keys: createKeyStore(config.publishableKey),
      notify: createNotifier(config.callbacks),
    };
    for (const problem of problems) report(started.notify, problem);
  }

  function open(options?: OpenOptions): void {
    if (!started) return console.warn('[svc] call init() before open().');
    if (opened) return opened.focus();
    const { config, keys, notify } = started;
    if (config.publishableKey === '')
      return report(notify, 'publishableKey is missing: the checkout cannot open');
    const { amount, problem } = readAmount(options);
    if (problem) report(notify, problem);
    if (config.display !== 'embedded')
      console.warn(`[svc] display "${config.display}" opens as an overlay in this version.`);
    opened = openCheckout(config, amount, keys, notify, () => {
      opened = undefined;
    });
  }

  return {
    version: SVC_VERSION,
    init: guard(init),
    open: guard(open),
    close: guard(() => opened?.close()),
    getUserKey: () => started?.keys.read() ?? null,
  };

  /** Nothing of ours may break the page: what goes wrong is told through `onError`. */
  function guard<Arguments extends unknown[]>(
    work: (...given: Arguments) => void,
  ): (...given: Arguments) => void {
    return (...given) => {
      try {
        work(...given);
      } catch (error) {
        console.error('[svc]', error);
        started?.notify('onError', {
          error: { code: 'internal_error', message: 'The checkout could not be opened.' },
        });
      }
    };
  }
}

function report(notify: Notify, message: string): void {
  console.error(`[svc] ${message}`);
  notify('onError', { error: { code: 'invalid_options', message } });
}

const page = window as { Svc?: SvcWidget & Queue };
if (!page.Svc?.version) {
  const waiting = page.Svc?.q ?? [];
  const widget = createWidget();
  page.Svc = widget;
  for (const [method, options] of waiting) widget[method](options as never);
}
