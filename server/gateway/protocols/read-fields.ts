import { z } from 'zod';
import { ApiError } from '../../base/errors';
import type { Json } from './neutral';

/** Reads JSON from outside; shared by all wire formats. */

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asObject(value: unknown): Json {
  return isObject(value) ? value : {};
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** What a table has for a name from outside, which may be one that every object has, such as `constructor`. */
export function lookUp<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** The object without these fields. */
export function leaveOut(json: Json, fields: ReadonlySet<string>): Json {
  return Object.fromEntries(Object.entries(json).filter(([name]) => !fields.has(name)));
}

/** The parsed value, or null if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The parsed object, or null if the text is not a JSON object. */
export function parseObject(text: string): Json | null {
  const value = parseJson(text);
  return isObject(value) ? value : null;
}

/** Returns a required text. */
export function requireText(value: unknown, param: string): string {
  if (typeof value !== 'string') throw refuse(param, value == null ? 'is required' : 'must be a string');
  return value;
}

/** Returns an optional object; an empty one if it is missing. */
export function readObject(value: unknown, param: string): Json {
  if (value !== undefined && value !== null && !isObject(value)) throw refuse(param, 'must be an object');
  return asObject(value);
}

/** Creates an error that names the field. */
export function refuse(param: string, reason: string): ApiError {
  return new ApiError('invalid_request', `${param}: ${reason}`, { param });
}

/**
 * Returns the request itself with its type, or throws `invalid_request` naming the first offending field. No schema
 * of a request changes what it reads.
 */
export function validateRequest<Schema extends z.ZodType>(schema: Schema, json: unknown): z.output<Schema> {
  const result = schema.safeParse(json);
  if (result.success) return json as z.output<Schema>;
  const { path, message } = findOffence(result.error.issues[0] as z.core.$ZodIssue);
  const field = path.join('.');
  if (field !== '') throw refuse(field, message);
  throw new ApiError('invalid_request', message);
}

type Offence = Pick<z.core.$ZodIssue, 'path' | 'message'>;

/** For a union, returns the first error inside the member that matches best. */
function findOffence(issue: z.core.$ZodIssue): Offence {
  if (issue.code !== 'invalid_union') return issue;
  const inner = issue.errors.flatMap((issues) => issues.slice(0, 1)).find(({ path }) => path.length > 0);
  if (inner === undefined) return issue;
  const { path, message } = findOffence(inner);
  return { path: [...issue.path, ...path], message };
}

/** Reports a missing value as missing rather than as wrong. */
export const expecting =
  (what: string) =>
  ({ input }: { input?: unknown }): string =>
    input === undefined ? `is required: ${what}` : `must be ${what}`;

const expectingCount = ({ input }: { input?: unknown }): string => {
  if (input === undefined) return 'is required';
  return Number.isInteger(input) && !Number.isSafeInteger(input) ? 'is too large' : 'must be a whole number';
};

export const wholeNumber = z.int({ error: expectingCount });
export const text = z.string({ error: expecting('a string') });
export const anyNumber = z.number({ error: 'must be a number' });
export const positiveInteger = wholeNumber.min(1, { error: 'must be at least 1' });
export const flag = z.boolean({ error: 'must be true or false' });
export const objectList = (what: string) =>
  z.array(z.looseObject({}, { error: 'must be an object' }), { error: `must be an array of ${what}` });
export const json = z.looseObject({}, { error: 'must be an object' });

/** A field that we forward or read leniently: documented but not validated. */
export const unread = (type: string | string[], description: string) =>
  z
    .unknown()
    .optional()
    .meta({ type, description, ...([type].flat().includes('array') && { items: {} }) });
