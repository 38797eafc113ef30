import { pool, prisma } from '../../base/db';
import { randomBase62 } from '../../base/ids';
import { openSealed, seal } from '../../base/seal';

/**
 * The secret that signs an app's deliveries, and with which its backend reads its events. Encrypted at rest; callers that reveal it have confirmed
 * the owner's presence. Rotation takes two steps: the receiver is configured to accept both the old
 * and the new secret, then the new one takes over.
 */

const PREFIX = 'whsec_';
/** 256 random bits, in characters that a double click selects as one word. */
const RANDOM_CHARACTERS = 43;

export type SigningSecrets = {
  secret: string;
  /** Created by `beginSecretRotation`; not used for signing before `finishSecretRotation`. */
  nextSecret: string | null;
};

/** From then on, the app's events are recorded. Returns false if there already is a secret. */
export async function createSecret(partnerId: string): Promise<boolean> {
  const { count } = await prisma().partner.updateMany({
    where: { id: partnerId, webhookSecret: null },
    data: { webhookSecret: newSealedSecret(partnerId) },
  });
  return count === 1;
}

/** Null when none was created, by hand or with the first endpoint. */
export async function revealSecret(partnerId: string): Promise<SigningSecrets | null> {
  const { webhookSecret, webhookNextSecret } = await prisma().partner.findUniqueOrThrow({
    where: { id: partnerId },
    select: { webhookSecret: true, webhookNextSecret: true },
  });
  if (webhookSecret === null) return null;
  return {
    secret: openSecret(webhookSecret, partnerId),
    nextSecret: webhookNextSecret && openSecret(webhookNextSecret, partnerId),
  };
}

export type RotationRefusal = { ok: false; reason: 'no_secret' | 'no_rotation'; message: string };

/** Creates the next secret. Repeated calls return the same one. */
export async function beginSecretRotation(
  partnerId: string,
): Promise<{ ok: true; nextSecret: string } | RotationRefusal> {
  const { rows } = await pool().query<{ next: Uint8Array }>(
    `UPDATE partner SET webhook_next_secret = coalesce(webhook_next_secret, $2)
     WHERE id = $1 AND webhook_secret IS NOT NULL RETURNING webhook_next_secret AS next`,
    [partnerId, newSealedSecret(partnerId)],
  );
  const [partner] = rows;
  if (partner === undefined)
    return {
      ok: false,
      reason: 'no_secret',
      message: 'There is no signing secret yet. Create one first.',
    };
  return { ok: true, nextSecret: openSecret(partner.next, partnerId) };
}

/** Signs with the next secret from the next attempt on, and deletes the old one. */
export async function finishSecretRotation(partnerId: string): Promise<{ ok: true } | RotationRefusal> {
  const { rowCount } = await pool().query(
    `UPDATE partner SET webhook_secret = webhook_next_secret, webhook_next_secret = NULL
     WHERE id = $1 AND webhook_next_secret IS NOT NULL`,
    [partnerId],
  );
  return rowCount === 1 ? { ok: true } : noRotation();
}

/** Deletes the next secret and keeps the current one. */
export async function cancelSecretRotation(partnerId: string): Promise<{ ok: true } | RotationRefusal> {
  const { count } = await prisma().partner.updateMany({
    where: { id: partnerId, webhookNextSecret: { not: null } },
    data: { webhookNextSecret: null },
  });
  return count === 1 ? { ok: true } : noRotation();
}

/** The secrets that the app may use: the current one, and the one that replaces it during a rotation. */
export function openSecrets(partner: {
  id: string;
  webhookSecret: Uint8Array | null;
  webhookNextSecret: Uint8Array | null;
}): string[] {
  return [partner.webhookSecret, partner.webhookNextSecret].flatMap((sealed) =>
    sealed === null ? [] : [openSecret(sealed, partner.id)],
  );
}

export function newSealedSecret(partnerId: string): Uint8Array<ArrayBuffer> {
  return seal(PREFIX + randomBase62(RANDOM_CHARACTERS), signingSecretOf(partnerId));
}

export function openSecret(sealed: Uint8Array, partnerId: string): string {
  return openSealed(sealed, signingSecretOf(partnerId));
}

/** What the secret is sealed to. */
export const signingSecretOf = (partnerId: string): string => `${partnerId} webhook secret`;

const noRotation = (): RotationRefusal => ({
  ok: false,
  reason: 'no_rotation',
  message: 'There is no new secret. Start the rotation first.',
});
