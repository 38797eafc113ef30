import type { Callbacks, InitOptions, OpenOptions, SvcWidget } from '../api';
import { type LoadOptions, loadSvc } from './index.js';

/** The widget of this page, shared by everything in the package that needs it. */

export type PageOptions = InitOptions &
  Omit<LoadOptions, 'src'> &
  (
    | { /** Such as `https://YOUR-SERVICE`. */ service: string; src?: string }
    | { service?: string; src: string }
  );

type EventName = Exclude<keyof Callbacks, 'onPurchaseCompleted' | 'onPermissionUpdated'>;
export type Listener = (name: EventName, event: unknown) => void;

const EVENTS: readonly EventName[] = [
  'onLoginCompleted',
  'onCheckoutOpened',
  'onCreditsAdded',
  'onPurchaseError',
  'onError',
  'onComplete',
  'onLoggedOut',
];

const listeners = new Set<Listener>();
let startedWith: string | undefined;

export function listen(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Without a path: `https://pay.example.com`. */
export function serviceOf({ service, src }: { service?: string; src?: string }): string {
  const base = typeof location === 'undefined' ? undefined : location.href;
  return new URL(service ?? src ?? '', base).origin;
}

/** Loads and initialises the widget once. Rejects for a second app: a page belongs to one. */
export async function startSvc(options: PageOptions): Promise<SvcWidget | null> {
  const {
    src = `${serviceOf(options)}/v1/svc.js`,
    service: _service,
    nonce: _nonce,
    integrity: _,
    ...init
  } = options;
  const { publishableKey } = init;
  const svc = await loadSvc({ ...options, src });
  if (svc === null || startedWith === publishableKey) return svc;
  if (startedWith !== undefined)
    throw new Error('This page already uses another publishableKey. Use one, and reload the page.');
  startedWith = publishableKey;
  const callbacks = EVENTS.map((name) => [
    name,
    (event: unknown) => listeners.forEach((listener) => listener(name, event)),
  ]);
  svc.init({ ...init, ...Object.fromEntries(callbacks) });
  return svc;
}

/** Opens the checkout. Resolves when it is closed: true if the user signed in, or the app can spend more. */
export async function openCheckout(svc: SvcWidget, wish?: OpenOptions): Promise<boolean> {
  const outcome = svc.open(wish) as Promise<boolean> | undefined;
  if (outcome === undefined)
    say(
      `The checkout script ${svc.version} is older than this package. Load /v1/svc.js, or pin a newer one.`,
    );
  return (await outcome) ?? false;
}

/** Called when a paid response has ended: its charge is booked by then. */
export const onSpent: Set<() => void> = new Set<() => void>();

const said = new Set<string>();

/** One line for the author of the page, once. */
export function say(message: string): void {
  if (!said.has(message)) console.error(`[svc] ${message}`);
  said.add(message);
}
