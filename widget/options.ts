import type { Callbacks, CheckoutMode, Currency, Display, Metadata, OpenOptions } from './api';
import { CALLBACK_NAMES } from './callbacks';
import { CHECKOUT_MODES, CURRENCIES, DISPLAYS, isMetadata, METADATA_CHARACTERS } from './contract';

export type Config = {
  publishableKey: string;
  checkoutUrl: string;
  currency: Currency;
  display: Display;
  checkoutMode: CheckoutMode;
  /** Null for that of the browser. */
  locale: string | null;
  metadata: Metadata | null;
  callbacks: Partial<Callbacks>;
};

const OPTION_NAMES = new Set<string>([
  'publishableKey',
  'baseUrl',
  'currency',
  'display',
  'checkoutMode',
  'locale',
  'metadata',
  ...CALLBACK_NAMES,
]);

/** Reads the options. An invalid one is reported and replaced with its default; nothing is thrown. */
export function readOptions(
  given: unknown,
  defaultCheckout: string,
): { config: Config; problems: string[]; unknown: string[] } {
  const options = (typeof given === 'object' && given !== null ? given : {}) as Record<string, unknown>;
  const problems: string[] = [];
  const choose = <Value extends string>(name: string, values: readonly Value[], fallback: Value): Value => {
    const value = options[name];
    if (value === undefined || values.includes(value as Value)) return (value as Value) ?? fallback;
    problems.push(`${name} must be one of ${values.join(', ')}`);
    return fallback;
  };
  const config: Config = {
    publishableKey: readPublishableKey(options.publishableKey, problems),
    checkoutUrl: readCheckoutUrl(options.baseUrl, defaultCheckout, problems),
    currency: choose('currency', CURRENCIES, 'usd'),
    display: choose('display', DISPLAYS, 'embedded'),
    checkoutMode: choose('checkoutMode', CHECKOUT_MODES, 'embedded'),
    locale: readLocale(options.locale, problems),
    metadata: readMetadata(options.metadata, problems),
    callbacks: readCallbacks(options, problems),
  };
  return { config, problems, unknown: Object.keys(options).filter((name) => !OPTION_NAMES.has(name)) };
}

/** The preset amount, or null. `problem` says why an amount was ignored. */
export function readAmount(given: unknown): { amount: number | null; problem?: string } {
  if (given === undefined || given === null) return { amount: null };
  if (typeof given !== 'object')
    return { amount: null, problem: 'open() expects an object such as { amount: 25 }' };
  const { amount } = given as OpenOptions;
  if (amount === undefined) return { amount: null };
  if (typeof amount === 'number' && Number.isFinite(amount) && amount > 0) return { amount };
  return { amount: null, problem: 'amount must be a number above 0' };
}

function readPublishableKey(value: unknown, problems: string[]): string {
  if (typeof value === 'string' && /^svc_pk_[0-9A-Za-z]{8,100}$/.test(value)) return value;
  problems.push('publishableKey must be the publishable key of your app, which starts with svc_pk_');
  return '';
}

/** Of a language that the checkout does not have, it shows that of the browser. */
function readLocale(value: unknown, problems: string[]): string | null {
  if (value === undefined || value === null || value === 'auto') return null;
  if (typeof value === 'string' && /^[a-z]{2,3}(-[0-9a-z]{2,8}){0,3}$/i.test(value)) return value;
  problems.push('locale must be a language tag such as de or pt-BR, or auto');
  return null;
}

function readCheckoutUrl(value: unknown, defaultCheckout: string, problems: string[]): string {
  try {
    const url = new URL(typeof value === 'string' ? value : defaultCheckout);
    if (!/^https?:$/.test(url.protocol) || (value !== undefined && typeof value !== 'string')) throw 0;
    return url.origin + (url.pathname === '/' ? '/checkout' : url.pathname.replace(/^(.*[^/])?\/*$/, '$1'));
  } catch {
    problems.push('baseUrl must be the http or https URL of the checkout');
    return readCheckoutUrl(undefined, defaultCheckout, problems);
  }
}

function readMetadata(value: unknown, problems: string[]): Metadata | null {
  if (value === undefined || value === null) return null;
  try {
    // A copy, so that later changes by the host have no effect.
    if (isMetadata(value)) return { ...value };
  } catch {
    // It cannot be serialized.
  }
  problems.push(
    `metadata must be a flat object of strings, numbers and booleans, at most ${METADATA_CHARACTERS} characters`,
  );
  return null;
}

function readCallbacks(options: Record<string, unknown>, problems: string[]): Partial<Callbacks> {
  const callbacks: Record<string, unknown> = {};
  for (const name of CALLBACK_NAMES) {
    const value = options[name];
    if (typeof value === 'function') callbacks[name] = value;
    else if (value !== undefined && value !== null) problems.push(`${name} must be a function`);
  }
  return callbacks as Partial<Callbacks>;
}
