import { CHECKOUT_TEXTS } from '@/texts/checkout';
import type { Language } from '@/texts/languages';
import { SHARED, type SharedTexts } from './shared-words';

/** For components of the browser, which get no other language. */
export const sharedTexts = (language: Language): SharedTexts => ({
  language,
  texts: Object.fromEntries(
    SHARED.map((name) => [name, CHECKOUT_TEXTS[language][name]]),
  ) as SharedTexts['texts'],
});
