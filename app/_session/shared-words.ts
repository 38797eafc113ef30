import type { Failure } from '@/app/_ui/use-action';
import type { CheckoutTexts } from '@/app/checkout/messages';
import type { texts as english } from '@/texts/checkout/en';
import type { Language } from '@/texts/languages';
import { type Say, speak, writeDelay } from '@/texts/say';

/** The texts of the checkout that pages for signing in show too. */
export const SHARED = [
  'signIn',
  'signInTitle',
  'knownText',
  'continueAs',
  'email',
  'emailInvalid',
  'emailPrivacy',
  'sendCode',
  'or',
  'linkText',
  'continueWith',
  'issuerFailures',
  'codeTitle',
  'codeText',
  'code',
  'codeIncomplete',
  'codeInvalid',
  'codeExpired',
  'codeHint',
  'resend',
  'resendIn',
  'resent',
  'otherEmail',
  'mailCaught',
  'mailOpen',
  'signOut',
  'close',
  'retry',
  'goOn',
  'codeRefusals',
  'noOpenerTitle',
  'noOpenerText',
  'wrong',
  'offline',
  'tooMany',
] as const satisfies (keyof CheckoutTexts)[];

type Shared = (typeof SHARED)[number];
export type SharedTexts = { language: Language; texts: Pick<CheckoutTexts, Shared> };
export type SharedWords = { language: Language; say: Say<Pick<typeof english, Shared>> };

export const speakShared = ({ language, texts }: SharedTexts): SharedWords => ({
  language,
  say: speak<Pick<typeof english, Shared>>(texts, language),
});

/** Why an action was refused: by its code, because messages of the server are in English. */
export function describeRefusal({ code, field, waitSeconds = 1 }: Failure, words: SharedWords): string {
  const { say, language } = words;
  switch (code) {
    case 'offline':
      return say.offline;
    case 'rate_limited':
      return say.tooMany({ when: writeDelay(waitSeconds, language) });
    case 'invalid_code':
      return say.codeInvalid;
    case 'code_expired':
      return say.codeExpired;
    default:
      return code === 'invalid_request' && field === 'email' ? say.emailInvalid : say.wrong;
  }
}
