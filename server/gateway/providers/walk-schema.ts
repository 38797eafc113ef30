import type { Json } from '../protocols/neutral';
import { isObject } from '../protocols/read-fields';

/** Keywords whose value maps names to schemas. */
export const SCHEMA_MAPS = ['properties', '$defs', 'definitions'];

/** Visits every schema inside a schema, itself included. */
export function walkSchema(value: unknown, visit: (node: Json) => void): void {
  if (Array.isArray(value)) for (const item of value) walkSchema(item, visit);
  if (!isObject(value)) return;
  visit(value);
  for (const [key, inner] of Object.entries(value)) {
    // Property names are not keywords.
    if (SCHEMA_MAPS.includes(key) && isObject(inner))
      for (const schema of Object.values(inner)) walkSchema(schema, visit);
    else if (key !== 'enum' && key !== 'const' && key !== 'default' && key !== 'examples')
      walkSchema(inner, visit);
  }
}
