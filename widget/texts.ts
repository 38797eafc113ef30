import { chooseLanguage } from '../texts/languages';
import { WIDGET_TEXTS } from '../texts/widget';

/** The words of the overlay, in the language of the app or of the browser. */
export const textsIn = (locale: string | null) =>
  WIDGET_TEXTS[chooseLanguage(locale, navigator.languages?.join() ?? navigator.language)];
