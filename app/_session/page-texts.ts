import type { Metadata } from 'next';
import { PAGE_TEXTS } from '@/texts/pages';
import { readLanguage } from './language';
import type { PageName, PageTexts } from './page-words';
import { sharedTexts } from './shared-texts';

/** In the language of the page that is being rendered. */
export async function readPageTexts<Name extends PageName>(name: Name): Promise<PageTexts<Name>> {
  const language = await readLanguage();
  const texts: PageTexts<Name>['texts'] = PAGE_TEXTS[language][name];
  return { language, texts, shared: sharedTexts(language) };
}

type Titled = Exclude<PageName, 'presence' | 'deadLink'>;

/** The title of a page that only the holder of its link should see. */
export const titled =
  (name: Titled, more: Metadata = { robots: 'noindex', referrer: 'no-referrer' }) =>
  async (): Promise<Metadata> => ({ ...more, title: PAGE_TEXTS[await readLanguage()][name].pageTitle });
