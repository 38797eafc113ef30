import { headers } from 'next/headers';
import { unstable_rethrow } from 'next/navigation';
import type { z } from 'zod';
import type { ActionResult } from '@/app/_ui/action-result';
import { settings } from '@/server/base/env';
import { ApiError } from '@/server/base/errors';
import { noteAction } from '@/server/base/http/page-failures';
import { validate } from '@/server/base/http/read-body';
import { toApiError } from '@/server/base/http/respond';
import { newId } from '@/server/base/ids';
import { countAction } from '@/server/base/rate-limit/actions';
import { isConfirmed, lacksPasskey } from '@/server/people/presence';
import { isOperator, lacksIssuer } from '@/server/people/sessions';
import { findSession, type Session } from './session';

/**
 * Server actions are public endpoints that anyone may call with any input. Each is made by a function
 * of this file, which only accepts calls from our own pages, checks the input and, except for sign-in
 * itself, requires a session confirmed in the last minutes. A test walks all of them.
 */

type Action<Input, Value> = (input: Input) => Promise<ActionResult<Value>>;
type Work<Schema extends z.ZodType, Value> = (
  session: Session,
  input: z.output<Schema>,
) => Promise<ActionResult<Value>>;

/** `harmless` says why the action needs no confirmation. Without it, the user is asked for one first. */
export type Confirmation = { harmless: string };

/** For everyone. Only sign-in needs it. */
export function openAction<Schema extends z.ZodType, Value = undefined>(
  schema: Schema,
  work: (input: z.output<Schema>) => Promise<ActionResult<Value>>,
): Action<z.input<Schema>, Value> {
  return (input) =>
    respond(async () => {
      await requireOwnOrigin();
      return work(validate(schema, input));
    });
}

/** For signed-in users. */
export function sessionAction<Schema extends z.ZodType, Value = undefined>(
  schema: Schema,
  work: Work<Schema, Value>,
  confirmation?: Confirmation,
): Action<z.input<Schema>, Value> {
  return openAction(schema, async (input) => {
    const session = await findSession();
    if (session === null) return SIGNED_OUT;
    await countAction(session.userId);
    if (confirmation === undefined && !(await isConfirmed(session))) return UNCONFIRMED;
    return work(session, input);
  });
}

/** For operators. To others it does not exist. */
export function operatorAction<Schema extends z.ZodType, Value = undefined>(
  schema: Schema,
  work: Work<Schema, Value>,
  confirmation?: Confirmation,
): Action<z.input<Schema>, Value> {
  const confirmed: Work<Schema, Value> = async (session, input) => {
    if (!isOperator(session)) throw new ApiError('not_found', 'There is nothing at this address');
    if (lacksIssuer(session)) return { ok: false, message: `Sign in with ${settings().OIDC_NAME} first.` };
    if (await lacksPasskey(session)) return UNCONFIRMED;
    return work(session, input);
  };
  return sessionAction(schema, confirmed, confirmation);
}

const SIGNED_OUT = {
  ok: false,
  message: 'You were signed out. Please sign in again.',
  signedOut: true,
} as const;

/** Asks the user for a confirmation, after which the page repeats the action. */
export const UNCONFIRMED = {
  ok: false,
  message: 'Please confirm it’s you.',
  stepUp: true,
} as const;

/** Browsers send cookies even with requests that other sites trigger: cookies alone prove nothing. */
async function requireOwnOrigin(): Promise<void> {
  const request = await headers();
  const fetchSite = request.get('sec-fetch-site');
  const isOurs =
    request.get('origin') === new URL(settings().BASE_URL).origin &&
    (fetchSite === null || fetchSite === 'same-origin');
  if (!isOurs) throw new ApiError('origin_not_allowed', `This only works on pages of ${settings().BASE_URL}`);
}

/** A refusal is a value; Next's own signals, such as a redirect, pass through. */
async function respond<Value>(work: () => Promise<ActionResult<Value>>): Promise<ActionResult<Value>> {
  noteAction();
  try {
    return await work();
  } catch (failure) {
    unstable_rethrow(failure);
    const { code, message, param, retryAfterSeconds } = toApiError(failure, newId('req'));
    return {
      ok: false,
      code,
      message,
      ...(param !== null && { field: param }),
      ...(retryAfterSeconds !== undefined && { waitSeconds: retryAfterSeconds }),
    };
  }
}
