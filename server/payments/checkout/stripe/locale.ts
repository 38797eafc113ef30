import type Stripe from 'stripe';
import type { Language } from '../../../../texts/languages';

/** What Stripe calls a language. `auto` is that of the browser. */
export const localeOf = (language: Language | null): Stripe.Checkout.SessionCreateParams.Locale =>
  language === 'zh-CN' ? 'zh' : (language ?? 'auto');
