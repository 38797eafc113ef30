import { ApiError } from '../../base/errors';
import type { Effort, Json, Reasoning, ToolDefinition } from './neutral';
import { asText, isObject, readObject, refuse, requireText } from './read-fields';

const EFFORTS: readonly Effort[] = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** Returns null when no effort was requested, and refuses an unknown one. The error also lists `others`. */
export function readEffort(value: unknown, param: string, others: readonly string[] = []): Effort | null {
  if (value === undefined || value === null) return null;
  const effort = EFFORTS.find((known) => known === value);
  if (effort === undefined) throw refuse(param, `must be one of ${[...others, ...EFFORTS].join(', ')}`);
  return effort;
}

/** The `thinking` field of the messages format, which some chat clients send too. */
export function readThinking(thinking: unknown, effort: Effort | null): Reasoning | null {
  if (!isObject(thinking)) return effort === null ? null : { type: 'effort', effort };
  switch (thinking.type) {
    case 'disabled':
    case 'between_tools':
      return { type: 'off' };
    case 'enabled':
      if (typeof thinking.budget_tokens !== 'number') return { type: 'adaptive', effort };
      return { type: 'budget', tokens: thinking.budget_tokens };
    case 'adaptive':
      return { type: 'adaptive', effort };
    default:
      throw refuse('thinking.type', 'must be one of enabled, disabled, adaptive');
  }
}

/** Longer arguments fit into no context window, and would take long to parse or to write. */
const MAX_ARGUMENTS = 4_000_000;

/** Refuses the arguments of all calls of a request by their characters in total. */
export function refuseLongArguments(characters: number, param = 'messages'): void {
  if (characters <= MAX_ARGUMENTS) return;
  throw refuse(param, `the arguments of calls have more than ${MAX_ARGUMENTS} characters in total`);
}

/** Anthropic's schemas are objects at the root, and some backends require `properties`. */
export function toToolSchema(schema: unknown, param: string): Json {
  const given = readObject(schema, param);
  return { ...given, type: 'object', properties: isObject(given.properties) ? given.properties : {} };
}

export function refuseDuplicates(tools: readonly ToolDefinition[]): void {
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name)) throw refuse('tools', `two tools are named ${name.slice(0, 64)}`);
    names.add(name);
  }
}

/** Warns about fields without a counterpart in the other format. */
export function noteDropped(
  request: Json,
  isTranslated: (field: string, value: unknown) => boolean,
  warnings: string[],
): void {
  for (const [field, value] of Object.entries(request)) {
    if (value != null && !isTranslated(field, value)) warnings.push(`${field.slice(0, 40)} was dropped`);
  }
}

/** A name or an id that must not be empty. */
export function requireName(name: unknown, param: string): string {
  if (name === '') throw refuse(param, 'is required');
  return requireText(name, param);
}

/** The error for a tool, part or block of a type that has no counterpart. */
export function refuseType(what: string, type: unknown, param: string): ApiError {
  const name = asText(type).slice(0, 40);
  const reason =
    name === '' ? 'is required: a string' : `${what} of type ${name} are not supported by this model`;
  return refuse(`${param}.type`, reason);
}

/** The error for a field that costs extra, changes the model, or accesses an account. */
export function refuseField(field: string): ApiError {
  return new ApiError('invalid_request', `${field}: is not supported`, { param: field });
}
