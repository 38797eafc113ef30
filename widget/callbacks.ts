import type { Failure } from './contract';

export type CreditsAdded = {
  type: 'purchase' | 'permission';
  user_key: string | null;
  balance: number;
  credits_added: number;
};
type DeprecatedCreditsAdded = Omit<CreditsAdded, 'type'>;

export type Callbacks = {
  onLoginCompleted: (event: { user_key: string; balance: number }) => void;
  onCheckoutOpened: (event: { session_id: string; user_key: string | null; checkout_url?: string }) => void;
  onCreditsAdded: (event: CreditsAdded) => void;
  onPurchaseError: (event: { error: Failure }) => void;
  onError: (event: { error: Failure }) => void;
  onComplete: (event: DeprecatedCreditsAdded) => void;
  onLoggedOut: () => void;
  /** @deprecated Use `onCreditsAdded` with type `purchase`. */
  onPurchaseCompleted: (event: DeprecatedCreditsAdded) => void;
  /** @deprecated Use `onCreditsAdded` with type `permission`. */
  onPermissionUpdated: (event: DeprecatedCreditsAdded) => void;
};

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

/** Callbacks run on their own turn, so that a host's slow or failing code never stops the widget. */
export function createNotifier(callbacks: Partial<Callbacks>): Notify {
  if ((callbacks.onPurchaseCompleted || callbacks.onPermissionUpdated) && !warned) {
    warned = true;
    console.warn('[svc] onPurchaseCompleted and onPermissionUpdated are deprecated: use onCreditsAdded.');
  }
  const call: Notify = (name, ...event) => {
    const callback = callbacks[name] as ((...event: unknown[]) => void) | undefined;
    if (!callback) return;
    setTimeout(() => {
      try {
        callback(...event);
      } catch (error) {
        console.error(`[svc] ${name} failed:`, error);
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
