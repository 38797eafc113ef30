import type { Json } from '../protocols/neutral';
import { isObject } from '../protocols/read-fields';

/**
 * Makes what a provider sent fit the types of a format. A field that clients require gets a value, an optional
 * field of another type is dropped, and unknown fields stay as they are.
 */

/** Notes whether anything was changed. What fits is not copied, so that it can be sent on as bytes. */
export type Changes = { any: boolean };

/** Returns the value if it fits, after repairs inside it; otherwise one in its place, or undefined for none. */
export type Fit = (value: unknown, changes: Changes) => unknown;

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isFilled = (value: unknown): value is string => typeof value === 'string' && value !== '';
export const isNumber = (value: unknown): value is number => typeof value === 'number';
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
export const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
export const isArray = (value: unknown): value is unknown[] => Array.isArray(value);

/** Repairs the fields of an object in place. */
export function fitFields(json: Json, fields: Readonly<Record<string, Fit>>, changes: Changes): Json {
  for (const name in fields) {
    const given = json[name];
    const fitting = (fields[name] as Fit)(given, changes);
    if (fitting === given) continue;
    json[name] = fitting;
    changes.any = true;
  }
  return json;
}

/** An optional field. Null stays, as all clients read it as missing. */
export const maybe =
  (fits: (value: unknown) => boolean): Fit =>
  (value) =>
    value === undefined || value === null || fits(value) ? value : undefined;

export const required =
  (fits: (value: unknown) => boolean, otherwise: unknown): Fit =>
  (value) =>
    fits(value) ? value : otherwise;

export const nullable = (fits: (value: unknown) => boolean): Fit =>
  required((value) => value === null || fits(value), null);

export const maybeObject =
  (fields: Readonly<Record<string, Fit>>): Fit =>
  (value, changes) => {
    if (value === undefined || value === null) return value;
    return isObject(value) ? fitFields(value, fields, changes) : undefined;
  };

/** A list. An element that cannot fit is left out. */
export const list =
  (element: Fit): Fit =>
  (value, changes) => {
    if (!Array.isArray(value)) return [];
    const fitting = value.map((one) => element(one, changes));
    const kept = fitting.filter((one) => one !== undefined);
    return kept.length === value.length && kept.every((one, at) => one === value[at]) ? value : kept;
  };

export const maybeList =
  (element: Fit): Fit =>
  (value, changes) =>
    value === undefined || value === null
      ? value
      : Array.isArray(value)
        ? list(element)(value, changes)
        : undefined;

/** An object, if it has what clients require of it. */
export const objectWith =
  (fits: (json: Json) => boolean): Fit =>
  (value) =>
    isObject(value) && fits(value) ? value : undefined;
