import type { Language } from '@/texts/languages';
import type { texts as english } from '@/texts/pages/en';
import { speak, type Translation } from '@/texts/say';
import { type SharedTexts, speakShared } from './shared-words';

/** The texts of a page for components of the browser, which get no other language and no other page. */

type Pages = typeof english;
export type PageName = keyof Pages;
export type PageTexts<Name extends PageName> = {
  language: Language;
  texts: Translation<Pages>[Name];
  shared: SharedTexts;
};

export const speakPage = <Name extends PageName>({ language, texts, shared }: PageTexts<Name>) => ({
  language,
  say: speak<Pages[Name]>(texts as Translation<Pages[Name]>, language),
  shared: speakShared(shared),
});
