import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { type Confirmation, sessionAction } from '@/app/_session/action';
import type { Session } from '@/app/_session/session';
import type { ActionResult } from '@/app/_ui/action-result';
import { ApiError } from '@/server/errors';
import { findOwnedPartner } from '@/server/partners/owner';
import type { Partner } from '@/server/partners/partner';

/** The input that every action of an app's pages takes; `extend` it. */
export const ofApp = z.object({ partnerId: z.string().max(64) });

type OfApp = z.ZodType<z.output<typeof ofApp>>;
type Work<Schema extends OfApp, Value> = (
  partner: Partner,
  input: z.output<Schema>,
) => Promise<ActionResult<Value>>;

/** For the owner of the app. To others the app does not exist. */
export function ownerAction<Schema extends OfApp, Value = undefined>(
  schema: Schema,
  work: Work<Schema, Value>,
  confirmation?: Confirmation,
) {
  return sessionAction(schema, (session, input) => run(session, input, work), confirmation);
}

async function run<Schema extends OfApp, Value>(
  { email }: Session,
  input: z.output<Schema>,
  work: Work<Schema, Value>,
): Promise<ActionResult<Value>> {
  const partner = await findOwnedPartner(email, input.partnerId);
  if (partner === null) throw new ApiError('not_found', 'There is no such app');
  const result = await work(partner, input);
  if (result.ok) revalidatePath(`/partner/${partner.id}`, 'layout');
  return result;
}
