import { settings } from '@/server/base/env';

const PROCESSOR_SECRET = /^(payment|setup)_intent_client_secret$/;
/** What Stripe appends to the address that the buyer returns to from the bank. We read the outcome from Stripe. */
const FROM_PROCESSOR = /^(payment|setup)_intent(_client_secret)?$|^redirect_status$/;

/** With this secret, anyone can read the payment: it must not stay in the history or reach a sign-in page or a log. */
export function withoutProcessorSecret({ pathname, searchParams }: URL): URL | null {
  const given = [...searchParams];
  if (!given.some(([name]) => PROCESSOR_SECRET.test(name))) return null;
  const { BASE_URL, CHECKOUT_URL } = settings();
  const clean = new URL(pathname.startsWith('/checkout') ? CHECKOUT_URL : BASE_URL);
  // A browser takes what follows two slashes for a host.
  clean.pathname = pathname.replace(/^\/+/, '/');
  clean.search = String(new URLSearchParams(given.filter(([name]) => !FROM_PROCESSOR.test(name))));
  return clean;
}
