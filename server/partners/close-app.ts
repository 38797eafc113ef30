import { nowDate } from '../base/clock';
import { repeatSlowly, type Tx } from '../base/db';
import { ApiError } from '../base/errors';
import type { Partner } from './partner';
import { resumeDeliveries } from './webhooks/resume';

/**
 * The end of an app by its own team: for a while, or for good. Either disables it, so that requests, sign-ins and
 * purchases are refused with `partner_disabled`. Users keep their credits and can give them to other apps, and the team
 * keeps what the app earned.
 */

export async function pauseApp(tx: Tx, { id }: Partner): Promise<void> {
  const { count } = await tx.partner.updateMany({
    where: { id, disabledAt: null },
    data: { disabledAt: nowDate(), closed: 'paused' },
  });
  if (count === 0) throw new ApiError('invalid_request', 'The app is not running');
}

/** Not for an app that an operator disabled in the meantime. */
export async function resumeApp(tx: Tx, { id }: Partner): Promise<void> {
  const { count } = await tx.partner.updateMany({
    where: { id, closed: 'paused' },
    data: { disabledAt: null, closed: null },
  });
  if (count === 0) throw new ApiError('invalid_request', 'The app is not paused');
  await resumeDeliveries(tx, id);
}

/** `name` is what the member typed. The app keeps its name, so that no other can pass for it. */
export async function deleteApp(tx: Tx, app: Partner, name: string): Promise<void> {
  if (name.trim() !== app.name)
    throw new ApiError('invalid_request', `Enter the name of the app: ${app.name}`, { param: 'name' });
  const disabledAt = app.disabledAt ?? nowDate();
  const { count } = await tx.partner.updateMany({
    where: { id: app.id, OR: [{ closed: null }, { closed: 'paused' }] },
    data: { disabledAt, closed: 'deleted', pendingName: null, webhookUrl: null, webhookFailingSince: null },
  });
  if (count === 0) throw new ApiError('invalid_request', 'The app is already deleted');
  await tx.partnerRate.deleteMany({ where: { partnerId: app.id, appliedAt: null } });
}

const KEYS_PER_STEP = 1_000;

/** Ends the keys of a deleted app, in steps: an app can have hundreds of thousands. None of them works until then. */
export async function revokeKeysOfDeletedApp(partnerId: string): Promise<void> {
  await repeatSlowly(
    `WITH ended AS (
       UPDATE user_key SET revoked_at = $2, revoke_reason = 'app_deleted' WHERE id IN (
         SELECT k.id FROM user_app a JOIN user_key k ON k.user_id = a.user_id AND k.partner_id = a.partner_id
         JOIN partner p ON p.id = a.partner_id
         WHERE a.partner_id = $1 AND p.closed = 'deleted' AND k.revoked_at IS NULL LIMIT $3)
       RETURNING 1)
     SELECT count(*) = $3 AS more FROM ended`,
    [partnerId, nowDate(), KEYS_PER_STEP],
  );
}
