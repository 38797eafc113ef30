import type { texts as english } from '@/texts/checkout/en';
import type { Language } from '@/texts/languages';
import { type Say, speak, type Translation } from '@/texts/say';

export type CheckoutTexts = Translation<typeof english>;
export type Messages = Say<typeof english>;

/** What a view writes with. */
export type Words = { say: Messages; language: Language };

export const wordsOf = (texts: CheckoutTexts, language: Language): Words => ({
  say: speak<typeof english>(texts, language),
  language,
});
