import type { Json } from '../../protocols/neutral';
import { asArray, isObject } from '../../protocols/read-fields';
import { SCHEMA_MAPS, walkSchema } from '../walk-schema';

/** Limits that the schema compiler does not accept: moved to the description, for the model to read. */
const LIMITS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
];
const FORMATS = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]);
const SCHEMA_LISTS = ['anyOf', 'allOf', 'prefixItems'];
const MAX_OPTIONAL_PROPERTIES = 10;

/** The schema as Anthropic's structured output accepts it. */
export function cleanSchema(schema: Json): Json {
  const { oneOf, $schema: _, ...rest } = schema;
  const cleaned: Json = {};
  const notes: string[] = [];
  for (const [key, value] of Object.entries(rest)) {
    const isUnknownFormat = key === 'format' && typeof value === 'string' && !FORMATS.has(value);
    if (LIMITS.includes(key) || isUnknownFormat) notes.push(`${key}: ${JSON.stringify(value)}`);
    else cleaned[key] = cleanMember(key, value);
  }
  if (Array.isArray(oneOf)) cleaned.anyOf = [...asArray(cleaned.anyOf), ...oneOf.map(cleanValue)];
  if (cleaned.type === 'object' || isObject(cleaned.properties)) cleaned.additionalProperties = false;
  if (notes.length > 0)
    cleaned.description = [cleaned.description, `(${notes.join(', ')})`].filter(Boolean).join(' ');
  return cleaned;
}

function cleanMember(key: string, value: unknown): unknown {
  if (SCHEMA_MAPS.includes(key) && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cleanValue(inner)]));
  }
  if (SCHEMA_LISTS.includes(key) && Array.isArray(value)) return value.map(cleanValue);
  return key === 'items' ? cleanValue(value) : value;
}

function cleanValue(value: unknown): unknown {
  return isObject(value) ? cleanSchema(value) : value;
}

/** Whether structured output can compile it: no recursion, no open objects, few optional properties. */
export function isCompilable(schema: Json): boolean {
  let optional = 0;
  let isClosed = true;
  walkSchema(schema, (node) => {
    const properties = isObject(node.properties) ? Object.keys(node.properties) : [];
    const required = new Set(asArray(node.required));
    optional += properties.filter((name) => !required.has(name)).length;
    const isMap = isObject(node.additionalProperties) || node.additionalProperties === true;
    if (isMap || isObject(node.patternProperties) || (node.type === 'object' && properties.length === 0))
      isClosed = false;
  });
  return isClosed && optional <= MAX_OPTIONAL_PROPERTIES && !isRecursive(schema);
}

/** Whether a definition leads back to itself, or a reference to the root. */
function isRecursive(schema: Json): boolean {
  const definitions = new Map<string, unknown>();
  for (const key of ['$defs', 'definitions']) {
    const group = isObject(schema[key]) ? schema[key] : {};
    for (const [name, inner] of Object.entries(group)) definitions.set(`#/${key}/${name}`, inner);
  }
  const { $defs: _defs, definitions: _definitions, ...root } = schema;
  // Each definition is followed once, however many references lead to it.
  const followed = new Set(['#']);
  const open = new Set(['#']);
  const path = [{ name: '#', references: referencesOf(root) }];
  for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
    const reference = last.references.pop();
    if (reference === undefined) {
      open.delete(last.name);
      path.pop();
    } else if (open.has(reference)) {
      return true;
    } else if (!followed.has(reference)) {
      followed.add(reference);
      open.add(reference);
      path.push({ name: reference, references: referencesOf(definitions.get(reference)) });
    }
  }
  return false;
}

function referencesOf(value: unknown): string[] {
  const references: string[] = [];
  walkSchema(value, (node) => {
    if (typeof node.$ref === 'string') references.push(node.$ref);
  });
  return references;
}
