import { DAY_MS, HOUR_MS, now } from '../base/clock';
import { deleteInSteps } from '../base/db';

/** Deletes replaced e-mail addresses that can no longer be restored, and codes, tokens and challenges of past sign-ins once no limit and no replay check needs them. */

/** Limits look back a day at most; the margin allows for clock differences between instances. */
export const CODE_KEPT_MS = DAY_MS + HOUR_MS;
const TOKEN_KEPT_MS = HOUR_MS;
/** Past its expiry; for clock differences between instances. */
const CHALLENGE_KEPT_MS = HOUR_MS;

export async function sweepSignIns(): Promise<void> {
  await deleteInSteps(
    'DELETE FROM login_challenge WHERE id IN (SELECT id FROM login_challenge WHERE created_at < $1 LIMIT $2)',
    new Date(now() - CODE_KEPT_MS),
  );
  await deleteInSteps(
    `DELETE FROM used_passkey_challenge WHERE challenge IN (
       SELECT challenge FROM used_passkey_challenge WHERE expires_at < $1 LIMIT $2)`,
    new Date(now() - CHALLENGE_KEPT_MS),
  );
  await deleteInSteps(
    'DELETE FROM email_change WHERE id IN (SELECT id FROM email_change WHERE undo_until < $1 LIMIT $2)',
    new Date(now()),
  );
  // Using a token twice revokes the key it created, so a token is kept as long as that key.
  await deleteInSteps(
    `DELETE FROM sign_in_token WHERE token_hash IN (
       SELECT token_hash FROM sign_in_token t WHERE expires_at < $1 AND NOT EXISTS (
         SELECT 1 FROM user_key k WHERE k.id = t.minted_key_id AND k.revoked_at IS NULL
       ) LIMIT $2)`,
    new Date(now() - TOKEN_KEPT_MS),
  );
  await deleteInSteps(
    `DELETE FROM device_authorization WHERE device_code_hash IN (
       SELECT device_code_hash FROM device_authorization d WHERE expires_at < $1 AND NOT EXISTS (
         SELECT 1 FROM user_key k WHERE k.id = d.minted_key_id AND k.revoked_at IS NULL
       ) LIMIT $2)`,
    new Date(now() - TOKEN_KEPT_MS),
  );
}
