import { z } from 'zod';
import { type Form, joinName } from './form-encoding';
import { invalidRequest, missingParameter, type StripeError } from './stripe-errors';

/** Every value of a form is text. */
export const integer = z
  .string()
  .regex(/^-?\d{1,15}$/, { error: (issue) => `Invalid integer: ${String(issue.input)}` })
  .transform(Number);
export const positiveAmount = integer.pipe(
  z.number().min(1, { error: 'This value must be greater than or equal to 1.' }),
);
export const currency = z
  .string()
  .regex(/^[a-zA-Z]{3}$/, { error: 'Invalid currency' })
  .toLowerCase();
export const flag = z
  .string()
  .refine((text) => text === 'true' || text === 'false', {
    error: (issue) => `Invalid boolean: ${String(issue.input)}`,
  })
  .transform((text) => text === 'true');
export const url = z.string().refine((text) => URL.canParse(text.replaceAll('{CHECKOUT_SESSION_ID}', 'id')), {
  error: 'Not a valid URL',
});
export const metadata = z
  .record(z.string().max(40), z.string().max(500))
  .refine((given) => Object.keys(given).length <= 50, { error: 'Metadata may have up to 50 keys' });

export function oneOf<const Names extends readonly [string, ...string[]]>(...names: Names) {
  return z.enum(names, { error: `must be one of ${names.slice(0, -1).join(', ')} or ${names.at(-1)}` });
}

/** Reads a form by its schema; the first problem becomes the error that Stripe would return. */
export function readParameters<Schema extends z.ZodType>(schema: Schema, form: Form): z.output<Schema> {
  const parsed = schema.safeParse(form);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  throw issue === undefined ? invalidRequest('Invalid request.') : describeIssue(issue, form);
}

function describeIssue(issue: z.core.$ZodIssue, form: Form): StripeError {
  if (issue.code === 'unrecognized_keys') {
    const param = joinName([...issue.path, issue.keys[0] ?? '']);
    const message = `Received unknown parameter: ${param}. The sandbox knows only the parameters that svc uses.`;
    return invalidRequest(message, { code: 'parameter_unknown', param });
  }
  const param = joinName(issue.path);
  if (isMissing(form, issue.path)) return missingParameter(param);
  if (issue.message.startsWith('Invalid integer'))
    return invalidRequest(issue.message, { code: 'parameter_invalid_integer', param });
  if (issue.message === 'Not a valid URL')
    return invalidRequest(issue.message, { code: 'url_invalid', param });
  return invalidRequest(`Invalid ${param}: ${issue.message}`, { param });
}

function isMissing(form: Form, path: readonly PropertyKey[]): boolean {
  let value: unknown = form;
  for (const key of path)
    value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return value === undefined;
}
