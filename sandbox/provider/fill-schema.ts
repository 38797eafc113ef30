type Schema = Record<string, unknown>;

export const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const asObject = (value: unknown): Schema => (isObject(value) ? value : {});

/** A recursive schema would never end. */
const MAX_DEPTH = 12;
/** One that names each of its parts twice would end after millions. */
const MAX_VALUES = 1_000;
const SAMPLES: Record<string, unknown> = { number: 1.5, integer: 1, boolean: true, null: null };
const DATES: Record<string, string> = {
  date: '2026-11-21',
  time: '12:00:00Z',
  'date-time': '2026-11-21T12:00:00Z',
};

/** A value that fits the types of a schema; every text is the prompt. */
export function fillSchema(root: Schema, prompt: string): unknown {
  let values = 0;
  return fill(root, 0);

  function fill(schema: Schema, depth: number): unknown {
    if (depth > MAX_DEPTH || ++values > MAX_VALUES) return null;
    const options = [schema.anyOf, schema.oneOf, schema.allOf].find(Array.isArray) as unknown[] | undefined;
    if (typeof schema.$ref === 'string') return fill(resolve(schema.$ref), depth + 1);
    if ('const' in schema) return schema.const;
    if (Array.isArray(schema.enum)) return schema.enum[0];
    if (options !== undefined) return fill(asObject(options[0]), depth + 1);
    const type = [schema.type].flat().find((name) => name !== 'null') ?? inferType(schema);
    if (type === 'object') return fillObject(schema, depth);
    if (type === 'array') return fillArray(schema, depth);
    if (type === 'string') return DATES[String(schema.format)] ?? prompt;
    return SAMPLES[String(type)] ?? null;
  }

  function fillObject({ properties }: Schema, depth: number): Schema {
    const entries = Object.entries(asObject(properties));
    return Object.fromEntries(entries.map(([name, field]) => [name, fill(asObject(field), depth + 1)]));
  }

  function fillArray({ items, minItems }: Schema, depth: number): unknown[] {
    const count = Math.min(5, Math.max(1, Number(minItems) || 1));
    return isObject(items) ? Array.from({ length: count }, () => fill(items, depth + 1)) : [];
  }

  function resolve(reference: string): Schema {
    const path = reference.split('/').slice(1);
    return asObject(path.reduce<unknown>((place, name) => asObject(place)[name], root));
  }
}

const inferType = ({ properties }: Schema): string => (isObject(properties) ? 'object' : 'string');
