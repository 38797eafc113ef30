/** The longest number has 24 characters. */
const LARGEST_VALUE = 5;

/** The characters of a value without writing it: at least a sixth of the bytes of its JSON, because of escapes. */
export function countCharacters(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length;
  if (typeof value !== 'object' || value === null) return LARGEST_VALUE;
  let characters = 1;
  if (Array.isArray(value)) {
    for (const item of value) characters += countCharacters(item);
    return characters;
  }
  const fields = value as Record<string, unknown>;
  for (const name of Object.keys(fields)) characters += 1 + name.length + countCharacters(fields[name]);
  return characters;
}

/** The values and field names of a value, as `JsonScan` counts those of its JSON. */
export function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Array.isArray(value) ? value : Object.values(value);
  let values = Math.max(1, Array.isArray(value) ? inner.length : 2 * inner.length);
  for (const item of inner) values += countValues(item);
  return values;
}
