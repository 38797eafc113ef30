import type { Validator } from 'stdnum';
import { nameCountry } from './countries';

type Forms = { readonly [country: string]: Validator | undefined };

/** VAT ids of the EU begin with the code of their country, except in Greece. Those of Switzerland do so already. */
const VAT_PREFIX: { readonly [country: string]: string } = { GR: 'EL', CH: '' };
const VAT_ID =
  /^(A[DT]|B[EG]|C[YZ]|D[EK]|E[ELS]|F[IR]|GB|H[RU]|I[ET]|L[TUV]|MT|NL|P[LT]|RO|S[EIK]|XI)[0-9A-Z]+$|^CHE/;
const ANY_TAX_ID = /^[A-Z0-9][A-Z0-9 ./-]{2,29}$/;

export type TaxIdReading = { ok: true; taxId: string } | { ok: false; message: string };

/**
 * Reads the id under which a country taxes a business. VAT ids of the EU, the United Kingdom and Switzerland and EINs
 * of the United States are checked, check digits included; of other countries, only the characters.
 */
export async function readTaxId(country: string, given: string): Promise<TaxIdReading> {
  // Pasted ids may be full-width, or contain marks that nobody sees.
  const visible = given.normalize('NFKC').replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '');
  const text = visible.trim().replace(/\s+/g, ' ').toUpperCase();
  const forms = await loadForms();
  const taxId = checkForm(forms, country, text) ?? checkForm(forms, countryOfPrefix(text), text);
  if (taxId !== null) return { ok: true, taxId };
  if (forms[country] !== undefined)
    return { ok: false, message: `Enter a valid tax ID of ${nameCountry(country, 'en')}, or none` };
  if (!ANY_TAX_ID.test(text))
    return { ok: false, message: 'Enter a tax ID of 3 to 30 letters and digits, or none' };
  return { ok: true, taxId: text };
}

/** Whether it is a VAT id, by its form. */
export const isVatId = (taxId: string): boolean => VAT_ID.test(taxId.replace(/[ .-]/g, ''));

/** Loaded when the first id is checked: the package has 400 files, which took a tenth of each start. */
async function loadForms(): Promise<Forms> {
  const { euVat, stdnum } = await import('stdnum');
  const ofUnion = Object.entries(euVat).map(([country, [vat]]) => [country, vat]);
  return {
    GB: stdnum.GB?.vat,
    US: stdnum.US?.ein,
    ...Object.fromEntries(ofUnion),
    CH: ofSwitzerland(stdnum.CH),
  };
}

/** A business number is the VAT id without `MWST`, `TVA` or `IVA`, and many write it so. */
function ofSwitzerland(forms: Forms | undefined): Validator | undefined {
  const { vat, uid } = forms ?? {};
  if (!vat || !uid) return vat;
  const formOf = (text: string) => (vat.validate(text).isValid ? vat : uid);
  return {
    ...uid,
    validate: (text) => formOf(text).validate(text),
    format: (text) => formOf(text).format(text),
  };
}

function checkForm(forms: Forms, country: string, text: string): string | null {
  const form = forms[country];
  // Every form has digits; without any, one of the validators throws.
  if (!/\d/.test(text)) return null;
  const result = form?.validate(text.replace(/^XI ?/, 'GB'));
  if (!form || !result?.isValid) return null;
  if (country === 'US' || country === 'CH') return form.format(result.compact);
  const prefix = text.startsWith('XI') ? 'XI' : (VAT_PREFIX[country] ?? country);
  return prefix + result.compact.replace(new RegExp(`^${prefix}`), '');
}

/** A business may be registered in another country than it is in. */
function countryOfPrefix(text: string): string {
  const prefix = text.slice(0, 2);
  if (prefix === 'XI') return 'GB';
  return prefix === 'EL' ? 'GR' : prefix;
}
