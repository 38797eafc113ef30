import { type ReactElement, type ReactNode, useContext, useEffect, useState } from 'react';
import type { Account } from './account.js';
import { say } from './page.js';
import { SvcContext, useSnapshot } from './provider.js';

type Shared = { className?: string };

export type SignInProps = Shared & { children?: ReactNode };
export type BuyCreditsProps = Shared & {
  /** Presets the amount, in the currency of the provider. */
  amount?: number;
  /** The label for a signed-in user. Default: "Buy credits". */
  children?: ReactNode;
};
export type BalanceProps = Shared;
export type PriceEstimateProps = Shared & {
  /** Of `GET /v1/models`. */
  model: string;
  /** Counted as a token for every four characters. */
  prompt?: string;
  /** Instead of `prompt`. */
  inputTokens?: number;
  /** Default: 2,500. */
  outputTokens?: number;
};

/** Signs a user in. Renders nothing for one who is. */
export function SignIn({ className, children = 'Sign in' }: SignInProps): ReactElement | null {
  const account = useProvided('SignIn');
  if (useSnapshot(account).status === 'signed_in') return null;
  return (
    <OpenButton account={account} {...(className && { className })}>
      {children}
    </OpenButton>
  );
}

/** Opens the checkout, and asks for sign-in first where it is needed. */
export function BuyCredits({ className, amount, children = 'Buy credits' }: BuyCreditsProps): ReactElement {
  const account = useProvided('BuyCredits');
  const { status } = useSnapshot(account);
  return (
    <OpenButton account={account} {...(className && { className })} {...(amount && { amount })}>
      {status === 'signed_out' ? 'Sign in' : children}
    </OpenButton>
  );
}

/** The credits that the app can spend. Renders nothing for a user who is not signed in. */
export function Balance({ className }: BalanceProps): ReactElement | null {
  return <AccountFigure name="Balance" figure="balance" suffix="" className={className} />;
}

/** The credits that the app spent since midnight. */
export function SpendToday({ className }: BalanceProps): ReactElement | null {
  return <AccountFigure name="SpendToday" figure="spentToday" suffix=" today" className={className} />;
}

/** What a request costs at the tokens given, with the commission of the app. */
export function PriceEstimate({ className, ...request }: PriceEstimateProps): ReactElement {
  const account = useProvided('PriceEstimate');
  const price = usePrice(account, request);
  return <Figure value={price} prefix="≈ " suffix="" className={className} />;
}

// ── Parts ────────────────────────────────────────────────────────────────────────────────────

function useProvided(component: string): Account {
  const account = useContext(SvcContext);
  if (account === null) throw new Error(`<${component}> needs a <SvcProvider> around it.`);
  return account;
}

type OpenButtonProps = Shared & { account: Account; amount?: number; children: ReactNode };

function OpenButton({ account, amount, className, children }: OpenButtonProps): ReactElement {
  const { status, error } = useSnapshot(account);
  const classes = className === undefined ? 'svc-button' : `svc-button ${className}`;
  return (
    <>
      <button
        type="button"
        className={classes}
        aria-haspopup="dialog"
        onClick={() => void account.open(amount === undefined ? undefined : { amount })}
      >
        <Coin />
        {status === 'error' ? 'Try again' : children}
      </button>
      {error && (
        <span className="svc-problem" role="alert">
          The checkout is not available.
        </span>
      )}
    </>
  );
}

function Coin(): ReactElement {
  return (
    <svg viewBox="0 0 20 20" fill="none" stroke="currentColor" strokeWidth="1.75" aria-hidden="true">
      <circle cx="10" cy="10" r="7.5" />
      <path d="M12.6 7.6a3.4 3.4 0 1 0 0 4.8" strokeLinecap="round" />
    </svg>
  );
}

type AccountFigureProps = {
  name: string;
  figure: 'balance' | 'spentToday';
  suffix: string;
  className: string | undefined;
};

function AccountFigure({ name, figure, suffix, className }: AccountFigureProps): ReactElement | null {
  const account = useProvided(name);
  const { status, unavailable, [figure]: value } = useSnapshot(account);
  useEffect(() => account.show(figure), [account, figure]);
  if (status !== 'signed_in') return null;
  const shown = value ?? (unavailable.includes(figure) ? 'unavailable' : null);
  return <Figure value={shown} prefix="" suffix={suffix} className={className} role="status" />;
}

/** Null while it is unknown. */
type Shown = number | 'unavailable' | null;

type FigureProps = {
  value: Shown;
  prefix: string;
  suffix: string;
  className: string | undefined;
  role?: 'status';
};

function Figure({ value, prefix, suffix, className, role }: FigureProps): ReactElement {
  const classes = className === undefined ? 'svc-figure' : `svc-figure ${className}`;
  return (
    <span className={classes} role={role} aria-busy={value === null}>
      {typeof value === 'number' ? `${prefix}${describe(value)}${suffix}` : (value ?? '…')}
    </span>
  );
}

function describe(credits: number): string {
  if (credits > 0 && credits < 0.01) return '< 0.01 credits';
  const amount = credits.toLocaleString('en-US', { maximumFractionDigits: 2 });
  return `${amount} ${amount === '1' ? 'credit' : 'credits'}`;
}

const PAUSE_MS = 250;

/** Typing asks once, and tokens are rounded so that few requests ask at all. */
function usePrice(account: Account, request: Omit<PriceEstimateProps, 'className'>): Shown {
  const [price, setPrice] = useState<Shown>(null);
  const query = queryOf(account.options.publishableKey, request);
  useEffect(() => {
    const abort = new AbortController();
    const timer = setTimeout(() => {
      readPrice(`${account.service}/v1/credits/pricing?${query}`, abort.signal).then(
        setPrice,
        (error: Error) => {
          if (abort.signal.aborted) return;
          say(`The price of ${request.model} could not be read: ${error.message}`);
          setPrice('unavailable');
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [account, query, request.model]);
  return price;
}

function queryOf(publishableKey: string, request: Omit<PriceEstimateProps, 'className'>): string {
  const { model, prompt, inputTokens, outputTokens } = request;
  const input = inputTokens ?? (prompt === undefined ? undefined : Math.ceil(prompt.length / 4));
  return new URLSearchParams({
    publishable_key: publishableKey,
    models: model,
    ...(input !== undefined && { input_tokens: roundTokens(input) }),
    ...(outputTokens !== undefined && { output_tokens: roundTokens(outputTokens) }),
  }).toString();
}

/** Up, to two digits. */
function roundTokens(tokens: number): string {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, tokens))) - 1);
  return String(Math.ceil(tokens / unit) * unit);
}

async function readPrice(url: string, signal: AbortSignal): Promise<number> {
  const response = await fetch(url, { signal, credentials: 'omit' });
  const body = await response.json();
  const price: unknown = body.models?.[0]?.credits_per_request;
  if (typeof price === 'number') return price;
  throw new Error(body.error?.message ?? 'this model is not served');
}
