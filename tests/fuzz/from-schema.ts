import fc from 'fast-check';
import type { OpenApiDocument } from '@/server/api/openapi/document';
import type { JsonSchema } from '@/server/api/openapi/json';
import type { Json } from './mutate';

/** Values that a schema of the API document accepts; `known` gives real values for fields by name. */

export type Known = Record<string, Json[]>;

const MAX_DEPTH = 6;

export function fromSchema(document: OpenApiDocument, schema: JsonSchema, known: Known): fc.Arbitrary<Json> {
  return build(schema, 0);

  function build(given: JsonSchema, depth: number): fc.Arbitrary<Json> {
    const node = resolve(given);
    const choices = (node.anyOf ?? node.oneOf ?? []) as JsonSchema[];
    if (node.const !== undefined) return fc.constant(node.const as Json);
    if (node.enum) return fc.constantFrom(...(node.enum as Json[]));
    if (choices.length > 0) return fc.oneof(...choices.map((choice) => build(choice, depth + 1)));
    if (depth > MAX_DEPTH) return fc.constant(null);
    if (node.type === 'object' || node.properties) return buildObject(node, depth);
    if (node.type === 'array')
      return fc.array(build((node.items ?? {}) as JsonSchema, depth + 1), {
        minLength: Math.min(Number(node.minItems ?? 0), 3),
        maxLength: 3,
      });
    return buildScalar(node);
  }

  function buildObject({ properties = {}, required = [] }: JsonSchema, depth: number): fc.Arbitrary<Json> {
    const fields = Object.entries(properties).map(([name, inner]) => {
      const values = known[name];
      const value = build(inner, depth + 1);
      const often = values ? fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...values) }, value) : value;
      return [name, often] as const;
    });
    return fc.record(Object.fromEntries(fields), {
      requiredKeys: required as string[],
    }) as fc.Arbitrary<Json>;
  }

  function resolve(node: JsonSchema): JsonSchema {
    const [, name] = /^#\/components\/schemas\/(.+)$/.exec(String(node.$ref ?? '')) ?? [];
    return name === undefined ? node : resolve(document.components.schemas[name] ?? {});
  }
}

function buildScalar({ type: types, minimum, maximum, maxLength }: JsonSchema): fc.Arbitrary<Json> {
  const [type] = [types].flat();
  const [min, max] = [Number(minimum ?? 0), Number(maximum ?? 1_000)];
  if (type === 'integer')
    return fc.integer({ min: Math.ceil(min), max: Math.max(Math.floor(max), Math.ceil(min)) });
  if (type === 'number') return fc.double({ min, max: Math.max(min, max), noNaN: true });
  if (type === 'boolean') return fc.boolean();
  if (type === 'null') return fc.constant(null);
  if (type === 'string') return fc.string({ maxLength: Math.min(Number(maxLength ?? 40), 40) });
  return fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<Json>;
}
