/**
 * The browser script as partners see it. Contains only types, because `svc.d.ts` and the loader package
 * publish this file too.
 */

export type Display = 'embedded' | 'popup' | 'new_tab';
export type CheckoutMode = 'embedded' | 'new_tab' | 'manual';
export type Currency = 'usd' | 'eur';
/** Flat, at most 500 characters as JSON; included in every webhook about this user. */
export type Metadata = Record<string, string | number | boolean>;
export type Failure = { code: string; message: string };

export type Login = { user_key: string; balance: number };
export type CheckoutOpened = {
  session_id: string;
  user_key: string | null;
  /** In checkout mode `manual`: the URL of the payment page, for the app to open. */
  checkout_url?: string;
};
export type CreditsChanged = {
  user_key: string | null;
  /** The credits that the app can spend now. */
  balance: number;
  /** How much `balance` grew. */
  credits_added: number;
};
export type CreditsAdded = CreditsChanged & { type: 'purchase' | 'permission' };

export type Callbacks = {
  /** A user signed in, or was recognised in a first-party window. */
  onLoginCompleted: (event: Login) => void;
  /** A payment was started. */
  onCheckoutOpened: (event: CheckoutOpened) => void;
  /** The app can spend more: bought, or allowed by the user. */
  onCreditsAdded: (event: CreditsAdded) => void;
  onPurchaseError: (event: { error: Failure }) => void;
  onError: (event: { error: Failure }) => void;
  /** The user dismissed the success screen. */
  onComplete: (event: CreditsChanged) => void;
  onLoggedOut: () => void;
  /** @deprecated Use `onCreditsAdded` with type `purchase`. */
  onPurchaseCompleted: (event: CreditsChanged) => void;
  /** @deprecated Use `onCreditsAdded` with type `permission`. */
  onPermissionUpdated: (event: CreditsChanged) => void;
};

export type InitOptions = {
  /** The publishable key of your app: `svc_pk_…`. */
  publishableKey: string;
  /** URL of the checkout. Defaults to the host that served the script. */
  baseUrl?: string;
  /** Default `usd`. */
  currency?: Currency;
  /** Default `embedded`: an overlay on the page. */
  display?: Display;
  /** How the payment form opens. Default `embedded`: inside the checkout. */
  checkoutMode?: CheckoutMode;
  /** Of the checkout, such as `de` or `pt-BR`. Default `auto`: of the user’s account or browser. */
  locale?: string;
  metadata?: Metadata;
} & Partial<Callbacks>;

export type OpenOptions = {
  /** Presets the amount, in the chosen currency. */
  amount?: number;
};

export type SvcWidget = {
  readonly version: string;
  /** Call once per page load. */
  init(options: InitOptions): void;
  /**
   * Opens the checkout. For `popup` and `new_tab`, call it inside the user's click. Resolves when the checkout is
   * closed: true if the user signed in or the app can spend more than before.
   */
  open(options?: OpenOptions): Promise<boolean>;
  close(): void;
  /** The key of the signed-in user, or null. */
  getUserKey(): string | null;
};
