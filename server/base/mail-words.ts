import type { Language } from '../../texts/languages';
import { MAIL_TEXTS } from '../../texts/mails';
import type { texts as english } from '../../texts/mails/en';
import { type Count, type Say, speak } from '../../texts/say';
import { creditsToJson } from './credits';

/** What mails and receipts to users are written with. */

export type MailWords = Say<typeof english>;

/** Mail programs and searches expect plain hyphens. */
export const mailWords = (language: Language): MailWords =>
  speak<typeof english>(MAIL_TEXTS[language], language, (text) => text);

const SMALLEST_SHOWN = 10_000n;

/** `1,234.5`, never rounded up. */
export function showAmount(amount: bigint, language: Language): string {
  const format = new Intl.NumberFormat(language, { maximumFractionDigits: 2, roundingMode: 'trunc' });
  return amount > 0n && amount < SMALLEST_SHOWN
    ? mailWords(language).less({ amount: format.format(0.01) })
    : format.format(creditsToJson(amount));
}

/** Credits for a text that counts them. */
export const countAmount = (amount: bigint, language: Language): Count => ({
  value: Math.trunc(creditsToJson(amount) * 100) / 100,
  shown: showAmount(amount, language),
});

/** Of a number from 0 to 100. */
export const showPercent = (percent: number, language: Language): string =>
  new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 2 }).format(percent / 100);
