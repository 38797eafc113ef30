import { pool } from '../../base/db';
import { authSecret } from '../../base/env';
import type { WithHeaders } from '../../base/http/api-request';
import { requireUserKeyHashes } from '../../base/http/credentials';
import { fingerprintOf } from '../../base/keyed-hash';
import { createBatcher } from '../../ledger';

/**
 * A key that admission does not know may be stored under the other secret, while AUTH_SECRET is being replaced.
 * The instances whose AUTH_SECRET is that of the installation store it under this one, so each key moves once.
 */

type OtherHash = { current: Buffer; other: Buffer };

const batcher = createBatcher<OtherHash, Buffer | null>({
  run: moveOrFind,
  keyOf: ({ current }) => current.toString('latin1'),
});

/** Under which hash the key of a request is stored now; null if there is no such key. */
export async function findOtherHash(request: WithHeaders): Promise<Buffer | null> {
  const [current, other] = requireUserKeyHashes(request);
  return other === undefined ? null : batcher.submit({ current, other });
}

async function moveOrFind(keys: OtherHash[]): Promise<(Buffer | null)[]> {
  const [current, other] = [keys.map((key) => key.current), keys.map((key) => key.other)];
  await pool().query({
    name: 'move_user_keys',
    text: `UPDATE user_key k SET hash = given.current
           FROM unnest($1::bytea[], $2::bytea[]) AS given(current, other)
           WHERE k.hash = given.other AND $3 = (SELECT secret FROM installation)`,
    values: [current, other, fingerprintOf(authSecret())],
  });
  // A statement of its own, because another instance may have moved a key while the first one waited for it.
  const { rows } = await pool().query<{ hash: Buffer }>({
    name: 'find_stored_hashes',
    text: 'SELECT hash FROM user_key WHERE hash = ANY ($1)',
    values: [[...current, ...other]],
  });
  const stored = new Set(rows.map(({ hash }) => hash.toString('latin1')));
  const isStored = (hash: Buffer): boolean => stored.has(hash.toString('latin1'));
  return keys.map((key) => [key.current, key.other].find(isStored) ?? null);
}
