import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { type Confirmation, sessionAction } from '@/app/_session/action';
import type { Session } from '@/app/_session/session';
import type { ActionResult } from '@/app/_ui/action-result';
import { ApiError } from '@/server/base/errors';
import { hasRight, type Right, writeRolesWith } from '@/server/partners/rights';
import { type AppOfTeam, findMembership } from '@/server/partners/teams';
import type { Member } from './require-app';

/** The input that every action of an app's pages takes; `extend` it. */
export const ofApp = z.object({ partnerId: z.string().max(64) });

type OfApp = z.ZodType<z.output<typeof ofApp>>;
type Work<Schema extends OfApp, Value> = (
  app: AppOfTeam,
  input: z.output<Schema>,
  member: Member,
) => Promise<ActionResult<Value>>;

/** For the members of the app's team who have the right. To everyone else the app does not exist. */
export function memberAction<Schema extends OfApp, Value = undefined>(
  right: Right,
  schema: Schema,
  work: Work<Schema, Value>,
  confirmation?: Confirmation,
) {
  return sessionAction(schema, (session, input) => run(session, input, right, work), confirmation);
}

async function run<Schema extends OfApp, Value>(
  { email, userId }: Session,
  input: z.output<Schema>,
  right: Right,
  work: Work<Schema, Value>,
): Promise<ActionResult<Value>> {
  const membership = await findMembership(email, input.partnerId);
  if (membership === null) throw new ApiError('not_found', 'There is no such app');
  const { partner: app, role } = membership;
  if (!hasRight(role, right)) return { ok: false, message: `${writeRolesWith(right)} can do this.` };
  const result = await work(app, input, { app, role, email, userId });
  if (result.ok) revalidatePath(`/partner/${app.id}`, 'layout');
  return result;
}
