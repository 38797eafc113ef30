import type { Json } from './neutral';
import { asText } from './read-fields';
import { refuseType } from './read-options';

/**
 * The fields of a wire format that may reach a provider. A field that nobody has read may cost extra, access
 * our account or change the model, so a request contains only known ones, at every level.
 */
export type Shape = 'data' | Fields | Variants;

/** JSON of the client, such as a schema or the arguments of a call: its keys are data and not fields. */
export const DATA: Shape = 'data';

type Fields = { fields: ReadonlyMap<string, Shape> };

/** Objects whose fields depend on their type. A type without fields is refused: to drop it changes the meaning. */
type Variants = { what: string; shapeOf: (type: string) => Fields | undefined };

/** An object with these fields, or a list of such objects. A string, number or flag fits every shape. */
export const fields = (known: Readonly<Record<string, Shape>>): Fields => ({
  fields: new Map(Object.entries(known)),
});

/** A string, number or flag, or a list of them. */
export const VALUE: Fields = fields({});

/** Several fields of one shape. */
export const each = <Name extends string>(names: readonly Name[], shape: Shape): Record<Name, Shape> =>
  Object.fromEntries(names.map((name) => [name, shape])) as Record<Name, Shape>;

export const variants = (
  what: string,
  types: Readonly<Record<string, Fields>>,
  nameOf: (type: string) => string = (type) => type,
): Variants => {
  const shapes = new Map(Object.entries(types));
  return { what, shapeOf: (type) => shapes.get(nameOf(type)) };
};

/** A request with a million unknown fields does not need as many warnings. */
const MAX_NAMED = 20;

/**
 * Returns the request without unknown fields, and adds a warning for each. Throws `invalid_request` for a part
 * or a tool of an unknown type. What is known is not copied.
 */
export function keepKnownFields<Request extends Json>(
  request: Request,
  shape: Shape,
  warnings: string[],
): Request {
  const path: (string | number)[] = [];
  const dropped = new Set<string>();
  const kept = keep(request, shape) as Request;
  for (const name of dropped) warnings.push(`${name} was dropped`);
  return kept;

  /** Undefined when the value is dropped. */
  function keep(value: unknown, inner: Shape): unknown {
    if (typeof value !== 'object' || value === null || inner === 'data') return value;
    if (Array.isArray(value)) return keepItems(value, inner);
    return inner === VALUE ? drop() : keepFields(value as Json, knownFields(value as Json, inner));
  }

  function keepItems(items: unknown[], shape: Shape): unknown[] {
    let copy: unknown[] | null = null;
    for (let index = 0; index < items.length; index++) {
      const item = items[index];
      if (typeof item !== 'object' || item === null) continue;
      path.push(index);
      // No field is a list of lists: nothing else looks into one.
      const own = Array.isArray(item) ? drop() : keep(item, shape);
      path.pop();
      if (own === item) continue;
      copy ??= [...items];
      copy[index] = own;
    }
    return copy === null ? items : copy.filter((item) => item !== undefined);
  }

  function keepFields(object: Json, { fields: known }: Fields): Json {
    let copy: Json | null = null;
    for (const name of Object.keys(object)) {
      const value = object[name];
      const inner = known.get(name);
      if (value === undefined || (inner !== undefined && (typeof value !== 'object' || value === null)))
        continue;
      path.push(name);
      const own = inner === undefined ? drop() : keep(value, inner);
      path.pop();
      if (own === value) continue;
      // An undefined field is not written. To delete it would slow down every later use of the object.
      copy ??= Object.assign({}, object);
      copy[name] = own;
    }
    return copy ?? object;
  }

  function knownFields(object: Json, shape: Fields | Variants): Fields {
    if ('fields' in shape) return shape;
    const known = shape.shapeOf(asText(object.type));
    if (known === undefined) throw refuseType(shape.what, object.type, path.join('.'));
    return known;
  }

  function drop(): undefined {
    if (dropped.size < MAX_NAMED) dropped.add(nameOf(path));
  }
}

/** Without positions, so that a field is named once and not for every message. */
const nameOf = (path: readonly (string | number)[]): string =>
  path
    .filter((step) => typeof step === 'string')
    .map((step) => step.slice(0, 40))
    .join('.');
