import type { Language } from '@/texts/languages';
import { type CheckoutTexts, type Words, wordsOf } from './messages';

/** The texts of a language are a file of their own. They are next to the script; the document lists them, and has the browser fetch the one it needs. */
export async function loadWords(language: Language): Promise<Words> {
  const place = document.querySelector<HTMLElement>('#view');
  const files = JSON.parse(place?.dataset.texts ?? '{}') as Record<string, string>;
  const { texts } = (await import(new URL(files[language.toLowerCase()] ?? '', import.meta.url).href)) as {
    texts: CheckoutTexts;
  };
  return wordsOf(texts, language);
}
