/** The entry for a model in a table by prefix. A prefix ends with a word of the name: `o1` is not one of `o10`. */
export function findByLongestPrefix<Value>(table: Record<string, Value>, model: string): Value | null {
  let found: string | null = null;
  for (const prefix of Object.keys(table)) {
    const fits =
      model.startsWith(prefix) && (/[-.]$/.test(prefix) || !/[a-z0-9]/i.test(model[prefix.length] ?? ''));
    if (fits && prefix.length > (found?.length ?? 0)) found = prefix;
  }
  return found === null ? null : (table[found] ?? null);
}
