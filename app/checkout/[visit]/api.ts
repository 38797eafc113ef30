import type { Language } from '@/texts/languages';
import type { ShownCard } from '../../_ui/saved-card';
import type { Offer } from './purchase-amount';

/** The API behind this page. The browser sends the visit's cookie with each call. */

export type VisitState = {
  /** That the account chose, once it is known. */
  language: Language | null;
  app_name: string;
  /** On our own origin. */
  app_logo: string | null;
  app_site: string | null;
  app_support: string | null;
  display: string;
  currency: 'usd' | 'eur';
  signed_in: null | 'session' | 'key';
  email: string | null;
  /**
   * The masked e-mail address of the user who is signed in on this device and can continue with one click.
   */
  device_email: string | null;
  balance: number | null;
  status:
    | null
    | 'ok'
    | 'insufficient_credits'
    | 'partner_not_permitted'
    | 'partner_limit_reached'
    | 'paused_for_review';
  money: number | null;
  /** Credits that were not bought in this app. */
  elsewhere: number | null;
  allowance_left: number | null;
  limited_by: LimitedBy | null;
  /** The user's own for this app and for all apps, and those of the app. */
  limits: VisitLimit[];
  /** What a typical answer costs in this app. Null if nothing sensible can be said. */
  answer: { credits: number; model: string } | null;
  amounts: number[];
  minimum: number;
  maximum: number;
  /** USD per unit; null while payments in the currency are unavailable. */
  rates: { usd: number; eur: number | null };
  includes_tax: boolean;
  /** Whether the user may have saved cards and can use them in this window. */
  has_cards: boolean;
  offers_invoices: boolean;
  sandbox: boolean;
};

/** The user set it for this app or for all apps, or it is the app's. */
type LimitScope = 'app' | 'all' | 'partner';

/** What refuses every request of the app, however many credits there are. */
export type LimitedBy = {
  kind: 'stop' | 'day' | 'week' | 'month' | 'review';
  /** Null for a review by the service. */
  scope: LimitScope | null;
  resets_at: string | null;
  /** Where the user lifts it, in the service. */
  path: string | null;
};

export type VisitLimit = {
  scope: LimitScope;
  period: 'day' | 'week' | 'month';
  most: number;
  used: number;
  resets_at: string;
};

type CardBody = {
  id: string;
  brand: string;
  last4: string;
  expiry_month: number;
  expiry_year: number;
  ends_top_up: boolean;
};

export type PaymentForm =
  | { kind: 'sandbox'; embed_url: string }
  | { kind: 'stripe'; client_secret: string; publishable_key: string }
  | { kind: 'hosted'; url: string };

/** What is paid for. */
export type Order = {
  session_id: string;
  amount: number;
  currency: string;
  credits: number;
  /** What the promotion code adds. */
  bonus_credits: number;
  /** USD per unit, locked for this payment. */
  rate: number;
};

export type Payment = Order & { checkout_url: string | null; payment: PaymentForm };

/** A payment with a saved card. The bank may want the user to confirm it on its own page. */
export type CardPayment = Order & {
  status: PaymentStatus['status'];
  failure?: string;
  bank_url: string | null;
};

/** `payId` identifies the click: however often it is sent, it is paid once. */
export type CardChoice = { amount: number; currency: string; cardId: string; payId: string };

export type PaymentStatus = {
  status: 'open' | 'processing' | 'completed' | 'failed' | 'expired';
  credits_added: number;
  balance: number;
  can_spend: boolean;
  limited_by: LimitedBy | null;
  /** A code; `failures` in the texts has its text. */
  failure?: string;
  receipt_id?: string;
};

/** An allowance that the user chose. The same id is sent again after a lost response or with a code. */
export type AllowanceChoice = { credits: number; saveId: string };

/** The saved allowance, or the challenge of the code that was mailed because it has to be confirmed. */
export type AllowanceOutcome =
  | { granted_credits: number; credits_added: number; balance: number }
  | { challenge_id: string; resend_in: number };

export type SignedIn = { sign_in_token: string; state: VisitState };

/** A code that was mailed, as the user entered it. */
export type EnteredCode = { challengeId: string; email: string; code: string; locale: Language };

/** A promotion code's offer, or why there is none: a key of `codeRefusals` in the texts. */
type OfferAnswer = { offer: Offer } | { refused: string };

export class RequestFailed extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly retryAfterSeconds = 1,
  ) {
    super(message);
  }
}

export function createApi(visitId: string) {
  const base = `/checkout/api/visits/${encodeURIComponent(visitId)}`;
  const post = <Body>(path: string, body: object = {}) => send<Body>(base + path, body);
  return {
    readVisit: () => send<VisitState>(base),
    sendCode: (email: string, locale: string) =>
      post<{ challenge_id: string; resend_in: number }>('/send-code', { email, locale }),
    /** Refused if it is a code for another account than the one that is known, unless the user wants to change it. */
    verifyCode: ({ challengeId, ...entry }: EnteredCode, changesAccount: boolean) =>
      post<SignedIn | { refused: 'other_account' }>('/verify-code', {
        ...entry,
        challenge_id: challengeId,
        changes_account: changesAccount,
      }),
    issueToken: () => post<{ sign_in_token: string }>('/sign-in-token'),
    /** Of the window that this one opened. Refused as a code is. */
    acceptHandOver: (token: string, changesAccount: boolean) =>
      post<{ sign_in_token: string } | { refused: 'other_account'; email: string }>('/sign-in-token', {
        hand_over: token,
        changes_account: changesAccount,
      }),
    recognise: (userKey: string) => post<{ state: VisitState }>('/recognise', { user_key: userKey }),
    saveAllowance: (
      { credits, saveId }: AllowanceChoice,
      locale: string,
      confirmation?: { challenge_id: string; code: string },
    ) => post<AllowanceOutcome>('/allowance', { credits, save_id: saveId, locale, confirmation }),
    readOffer: (code: string) => post<OfferAnswer>('/promotion', { code }),
    startPayment: (choice: {
      amount: number;
      currency: string;
      checkoutMode: string;
      language: string;
      code: string | undefined;
    }) => {
      const { checkoutMode, code, ...rest } = choice;
      return post<Payment>('/payments', { ...rest, checkout_mode: checkoutMode, promotion_code: code });
    },
    readCards: async () => {
      const { cards } = await send<{ cards: CardBody[] }>(`${base}/cards`);
      return cards.map(
        ({
          expiry_month: expiryMonth,
          expiry_year: expiryYear,
          ends_top_up: endsTopUp,
          ...card
        }): ShownCard => ({
          ...card,
          expiryMonth,
          expiryYear,
          endsTopUp,
        }),
      );
    },
    removeCard: (cardId: string) => post<object>('/cards/remove', { card_id: cardId }),
    payWithCard: ({ cardId, payId, ...choice }: CardChoice, language: string) =>
      post<CardPayment>('/card-payments', { ...choice, card_id: cardId, pay_id: payId, language }),
    readPayment: (sessionId: string) =>
      send<PaymentStatus>(`${base}/payments/${encodeURIComponent(sessionId)}`),
    signOut: () => post<{ state: VisitState }>('/sign-out'),
  };
}

export type Api = ReturnType<typeof createApi>;

async function send<Body>(path: string, body?: object): Promise<Body> {
  const response = await fetch(path, {
    ...(body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  }).catch(() => {
    throw new RequestFailed('offline', 'No connection');
  });
  const parsed = (await response.json().catch(() => ({}))) as Body & {
    error?: { type?: string; message?: string };
  };
  if (response.ok) return parsed;
  throw new RequestFailed(
    parsed.error?.type ?? 'internal_error',
    parsed.error?.message ?? 'Something went wrong',
    Number(response.headers.get('retry-after') ?? 1),
  );
}

export function failureCode(error: unknown): string {
  return error instanceof RequestFailed ? error.code : 'internal_error';
}

export function retryAfterSeconds(error: unknown): number {
  return error instanceof RequestFailed ? error.retryAfterSeconds : 1;
}
