/** A value without fractions. Amounts are microcredits and picocredits; prices beyond 2^53 are text. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** The one text of a value, as RFC 8785 defines it: without spaces, names sorted. Signatures and hashes cover it. */
export function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonicalJson(inner)}`).join(',')}}`;
}

const isList = (value: object): value is readonly Json[] => Array.isArray(value);
