/** The languages of the checkout, of signing in, of receipts and of mails to users. English is their source. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt-BR', 'nl', 'pl', 'ja', 'zh-CN'] as const;

export type Language = (typeof LANGUAGES)[number];

/** What people call their language, for a list to choose from. */
export const LANGUAGE_NAMES: Record<Language, string> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  it: 'Italiano',
  'pt-BR': 'Português (Brasil)',
  nl: 'Nederlands',
  pl: 'Polski',
  ja: '日本語',
  'zh-CN': '简体中文',
};

/** The language of a tag such as `de-CH`; null if there is none. Traditional Chinese is not simplified Chinese. */
function findLanguage(tag: string): Language | null {
  const [wanted = ''] = tag.trim().toLowerCase().split(';');
  const [base] = wanted.split('-');
  if (base === 'zh') return /-(hant|tw|hk|mo)/.test(wanted) && !wanted.includes('-hans') ? null : 'zh-CN';
  return LANGUAGES.find((language) => language.toLowerCase().split('-')[0] === base) ?? null;
}

/** The first that we have, from tags or lists of them as in `Accept-Language`. */
export function findFirstLanguage(...wanted: (string | null | undefined)[]): Language | null {
  for (const tag of wanted.flatMap((list) => list?.split(',') ?? [])) {
    const found = findLanguage(tag);
    if (found !== null) return found;
  }
  return null;
}

export const chooseLanguage = (...wanted: (string | null | undefined)[]): Language =>
  findFirstLanguage(...wanted) ?? 'en';
