import type { Callbacks, CreditsAdded } from './api';

export const CALLBACK_NAMES: readonly (keyof Callbacks)[] = [
  'onLoginCompleted',
  'onCheckoutOpened',
  'onCreditsAdded',
  'onPurchaseError',
  'onError',
  'onComplete',
  'onLoggedOut',
  'onPurchaseCompleted',
  'onPermissionUpdated',
];

export type Notify = <Name extends keyof Callbacks>(
  name: Name,
  ...event: Parameters<Callbacks[Name]>
) => void;

let warned = false;

/** Callbacks run in a task of their own, so that slow or failing code of the host never stops the widget. */
export function createNotifier(callbacks: Partial<Callbacks>): Notify {
  if ((callbacks.onPurchaseCompleted || callbacks.onPermissionUpdated) && !warned) {
    warned = true;
    console.warn('[svc] onPurchaseCompleted and onPermissionUpdated are deprecated. Use onCreditsAdded.');
  }
  const call: Notify = (name, ...event) => {
    const callback = callbacks[name] as ((...event: unknown[]) => void) | undefined;
    if (!callback) return;
    setTimeout(() => {
      try {
        callback(...event);
      } catch (error) {
        console.error(`[svc] ${name} threw an error:`, error);
      }
    });
  };
  return (name, ...event) => {
    call(name, ...event);
    if (name === 'onCreditsAdded') {
      const { type, ...rest } = event[0] as CreditsAdded;
      call(type === 'purchase' ? 'onPurchaseCompleted' : 'onPermissionUpdated', rest);
    }
  };
}
