import { ApiError } from '../../base/errors';
import { repeated } from '../../base/http/read-fields';
import type { MultipartForm, UploadedFile } from '../../base/http/read-multipart';
import type { Json } from './neutral';
import { isObject, refuse } from './read-fields';

/**
 * What the fields of a multipart request are read as, so that one schema validates them and those of JSON. Others are
 * text. `list` is of texts, and `object` has texts in it.
 */
export type FormShape = Readonly<
  Record<string, 'number' | 'flag' | 'list' | 'object' | 'file' | 'file-or-object' | { maxFiles: number }>
>;

/** `name[]` or `name[0]` is an item of a list, `name[inner]` a field of an object. */
const BRACKETS = /^([^[\]]+)\[([^[\]]*)\]$/;
const ITEM = /^\d{0,4}$/;

const MAX_ITEMS = 64;

export function readFormFields({ fields, files }: MultipartForm, shape: FormShape): Json {
  const json: Json = {};
  for (const { name, value } of fields) addField(json, shape, name, value);
  for (const file of files) addFile(json, shape, file);
  return json;
}

function addField(json: Json, shape: FormShape, name: string, value: string): void {
  const [, outer = name, inner = ''] = BRACKETS.exec(name) ?? [];
  requireUsable(outer);
  requireUsable(inner);
  const kind = kindOf(shape, outer);
  if (isFileKind(kind)) throw refuse(outer, 'must be a file');
  if (kind === 'list' && ITEM.test(inner)) addItem(json, outer, value, MAX_ITEMS);
  else if (OBJECTS.has(kind) && inner !== '') addInner(json, outer, inner, value);
  else if (Object.hasOwn(json, name)) throw repeated(name);
  else json[name] = readValue(kind, value);
}

function addItem(json: Json, name: string, item: unknown, most: number): void {
  const before = Object.hasOwn(json, name) ? (json[name] as unknown[]) : [];
  if (before.length === most) throw refuse(name, `must have at most ${most} items`);
  json[name] = [...before, item];
}

function addInner(json: Json, outer: string, inner: string, value: string): void {
  const object = Object.hasOwn(json, outer) ? json[outer] : {};
  if (!isObject(object) || Object.hasOwn(object, inner)) throw repeated(`${outer}[${inner}]`);
  json[outer] = { ...object, [inner]: value };
}

function addFile(json: Json, shape: FormShape, file: UploadedFile): void {
  const [, outer = file.field, inner = ''] = BRACKETS.exec(file.field) ?? [];
  const name = ITEM.test(inner) ? outer : file.field;
  requireUsable(name);
  const kind = kindOf(shape, name);
  if (typeof kind === 'object') addItem(json, name, file, kind.maxFiles);
  else if (kind !== undefined && kind !== 'file' && kind !== 'file-or-object')
    throw refuse(name, 'must be text, not a file');
  else if (Object.hasOwn(json, name)) throw repeated(file.field);
  else json[name] = file;
}

const OBJECTS: ReadonlySet<unknown> = new Set(['object', 'file-or-object']);

const kindOf = (shape: FormShape, name: string) => (Object.hasOwn(shape, name) ? shape[name] : undefined);

const isFileKind = (kind: FormShape[string] | undefined): boolean =>
  kind === 'file' || typeof kind === 'object';

/** It would become the prototype of the object. */
function requireUsable(name: string): void {
  if (name === '__proto__')
    throw new ApiError('invalid_request', 'The request body contains a field named "__proto__".');
}

const NUMBER = /^[+-]?\d{1,20}(\.\d{1,20})?(e[+-]?\d{1,3})?$/i;

/** What is no number or flag stays text, which the schema refuses. */
function readValue(kind: FormShape[string] | undefined, value: string): unknown {
  if (kind === 'number' && NUMBER.test(value)) return Number(value);
  if (kind === 'flag' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}
