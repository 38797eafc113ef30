import { pool } from '../../base/db';
import { describeError, log } from '../../base/log';
import { shareLimits, sharesLimits } from '../../base/rate-limit/key-turns';

/**
 * A run key shares the limits of the ordinary key that it descends from, so that minting more allows no more requests.
 * `aboveId` is a key above it. After a failure, the next request asks again.
 */
export async function shareLimitsOf(keyHash: Buffer, aboveId: string): Promise<void> {
  if (sharesLimits(keyHash)) return;
  try {
    const { rows } = await pool().query<{ hash: Buffer }>({
      name: 'find_ordinary_key',
      text: 'SELECT o.hash FROM user_key k JOIN user_key o ON o.id = coalesce(k.lineage[1], k.id) WHERE k.id = $1',
      values: [aboveId],
    });
    for (const { hash } of rows) shareLimits(keyHash, hash);
  } catch (error) {
    log().warn({ error: describeError(error) }, 'limits of a run key not found');
  }
}
