/** Codes that Unicode names although no postal address has them: unions, parts of countries, tests. */
const NO_COUNTRY = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'.split(' '));
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

type Language = 'en' | 'de';

export function nameCountry(code: string, language: Language): string {
  return new Intl.DisplayNames(language, { type: 'region' }).of(code) ?? code;
}

const CODES: ReadonlySet<string> = new Set(
  LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).filter(isCountryCode),
);

/** Known to Unicode, and not the old code of another country. */
function isCountryCode(code: string): boolean {
  if (NO_COUNTRY.has(code)) return false;
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  return names.of(code) !== undefined && new Intl.Locale(`und-${code}`).region === code;
}

export const isCountry = (code: string): boolean => CODES.has(code);

/** All countries, sorted by their English names. */
export function listCountries(): { code: string; name: string }[] {
  return [...CODES]
    .map((code) => ({ code, name: nameCountry(code, 'en') }))
    .sort((one, other) => one.name.localeCompare(other.name, 'en'));
}
