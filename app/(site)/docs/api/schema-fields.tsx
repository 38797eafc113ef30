import type { JsonSchema } from '@/server/api/openapi/json';
import { InlineCode, ProseLine } from '../../parts/markdown';

/** The fields of a schema, with nested objects collapsed. */

type Schemas = Record<string, JsonSchema>;

export function SchemaFields({ schema, schemas }: { schema: JsonSchema; schemas: Schemas }) {
  const { properties = {}, required = [], ...rest } = resolve(schema, schemas);
  const variants = variantsOf({ ...rest, properties }, schemas);
  if (variants.length > 0) {
    return (
      <ul className="divide-y divide-line">
        {variants.map((variant, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of a fixed document
          <li key={i} className="py-3">
            <Inner title={nameOfVariant(variant)} schema={variant} schemas={schemas} />
          </li>
        ))}
      </ul>
    );
  }
  return (
    <ul className="divide-y divide-line">
      {Object.entries(properties).map(([name, field]) => (
        <Field key={name} name={name} schema={field} isRequired={required.includes(name)} schemas={schemas} />
      ))}
    </ul>
  );
}

type FieldProps = { name: string; schema: JsonSchema; isRequired: boolean; schemas: Schemas };

export function Field({ name, schema, isRequired, schemas }: FieldProps) {
  const resolved = resolve(schema, schemas);
  const inner = innerOf(schema, schemas);
  const description = schema.description ?? resolved.description;
  return (
    <li className="py-3">
      <p className="flex flex-wrap items-baseline gap-x-2.5 gap-y-1">
        <code className="font-mono text-[13px] font-medium wrap-anywhere">{name}</code>
        <span className="text-xs text-muted">{describeType(schema, schemas)}</span>
        {isRequired && <span className="text-xs text-warning">required</span>}
        {resolved.deprecated && <span className="text-xs text-muted">deprecated</span>}
      </p>
      {description && (
        <p className="mt-1 text-sm leading-relaxed text-muted">
          <ProseLine text={description} />
        </p>
      )}
      <Constraints schema={resolved} />
      {inner && <Inner title={`Fields of ${name}`} schema={inner} schemas={schemas} />}
    </li>
  );
}

function Inner({ title, schema, schemas }: { title: string; schema: JsonSchema; schemas: Schemas }) {
  return (
    <details className="mt-2 rounded-lg border border-line">
      <summary className="px-3 py-2 text-[13px] text-muted hover:text-text">{title}</summary>
      <div className="border-t border-line px-3">
        <SchemaFields schema={schema} schemas={schemas} />
      </div>
    </details>
  );
}

function Constraints({ schema }: { schema: JsonSchema }) {
  const { enum: values, default: standard } = schema;
  return (
    <>
      {values && (
        <p className="mt-1.5 flex flex-wrap gap-1.5 text-xs">
          {values.map((value) => (
            <InlineCode key={String(value)}>{String(value)}</InlineCode>
          ))}
        </p>
      )}
      {standard !== undefined && (
        <p className="mt-1 text-sm text-muted">
          Default: <InlineCode>{JSON.stringify(standard)}</InlineCode>
        </p>
      )}
    </>
  );
}

function resolve(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (schemas[name] ?? {});
}

const isNull = ({ type }: JsonSchema): boolean => type === 'null';

/** The object whose fields can be expanded: the schema itself, or its items or only choice. */
function innerOf(schema: JsonSchema, schemas: Schemas): JsonSchema | null {
  const resolved = resolve(schema, schemas);
  if (resolved.items) return innerOf(resolved.items, schemas);
  if (resolved.properties && Object.keys(resolved.properties).length > 0) return resolved;
  const choices = (resolved.anyOf ?? resolved.oneOf ?? []).filter((choice) => !isNull(choice));
  if (choices.length === 1 && choices[0]) return innerOf(choices[0], schemas);
  return variantsOf(resolved, schemas).length > 0 ? resolved : null;
}

/** The objects that a value can be one of. */
function variantsOf(schema: JsonSchema, schemas: Schemas): JsonSchema[] {
  const choices = (schema.anyOf ?? schema.oneOf ?? []).map((choice) => resolve(choice, schemas));
  const objects = choices.filter(({ properties }) => properties && Object.keys(properties).length > 0);
  return objects.length > 1 ? objects : [];
}

function nameOfVariant({ properties = {} }: JsonSchema): string {
  const type = properties.type?.const;
  return type === undefined ? 'One of' : String(type);
}

function describeType(schema: JsonSchema, schemas: Schemas): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.$ref) {
    const resolved = resolve(schema, schemas);
    return describeType(
      { ...resolved, ...(resolved.type === undefined && !resolved.anyOf && { type: 'object' }) },
      schemas,
    );
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map((choice) => describeType(choice, schemas)))].join(' or ');
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  if (schema.type === 'array')
    return schema.items ? `array of ${plural(describeType(schema.items, schemas))}` : 'array';
  const range = describeRange(schema);
  return `${schema.type ?? 'any'}${range && ` ${range}`}`;
}

const plural = (type: string): string => (/^[a-z]+$/.test(type) ? `${type}s` : type);

function describeRange({ minimum, maximum, maxLength }: JsonSchema): string {
  if (maxLength !== undefined) return `up to ${maxLength} characters`;
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
  return minimum === undefined || minimum === 0 ? '' : `from ${minimum}`;
}
