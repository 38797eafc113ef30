import { now, SECOND_MS } from '../../base/clock';
import { pool } from '../../base/db';
import type { WithHeaders } from '../../base/http/api-request';
import { invalidUserKey, requireUserKeyHashes } from '../../base/http/credentials';
import { createBatcher } from '../../ledger';
import { partnerDisabled } from '../../partners/partner';

/**
 * Decides whether the body of a request may be read, and nothing else: admission checks the key again together
 * with the balance, so that a revocation takes effect on the next request.
 */

type KeyState = 'live' | 'disabled' | 'unknown';

/** So that a large body costs no query of its own while a key is in use. */
const LIVE_FOR_MS = 10 * SECOND_MS;
/** So that a flood with one unknown key does not reach the database, and a new key works at once elsewhere. */
const OTHERS_FOR_MS = SECOND_MS;
const MAX_REMEMBERED = 10_000;

const remembered = new Map<string, { state: KeyState; until: number }>();
const lookups = new Map<string, Promise<KeyState>>();

/** A key, as its stored hash under each accepted secret. */
type KeyHashes = [Buffer, ...Buffer[]];

const nameOf = ([keyHash]: KeyHashes): string => keyHash.toString('latin1');

const batcher = createBatcher<KeyHashes, KeyState>({ run: findStates, keyOf: nameOf });

/** Fails with 401 or 403 unless the key of the request can pay for requests. */
export async function requireLiveKey(request: WithHeaders): Promise<void> {
  const hashes = requireUserKeyHashes(request);
  const known = remembered.get(nameOf(hashes));
  const state = known !== undefined && known.until > now() ? known.state : await lookUp(hashes);
  if (state === 'unknown') throw invalidUserKey();
  if (state === 'disabled') throw partnerDisabled();
}

/** Requests that arrive together with the same key wait for one lookup. */
function lookUp(hashes: KeyHashes): Promise<KeyState> {
  const name = nameOf(hashes);
  const running = lookups.get(name);
  if (running !== undefined) return running;
  const lookup = batcher
    .submit(hashes)
    .then((state) => {
      remember(name, state);
      return state;
    })
    .finally(() => lookups.delete(name));
  lookups.set(name, lookup);
  return lookup;
}

function remember(name: string, state: KeyState): void {
  remembered.delete(name);
  remembered.set(name, { state, until: now() + (state === 'live' ? LIVE_FOR_MS : OTHERS_FOR_MS) });
  const [oldest] = remembered.keys();
  if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
}

async function findStates(keys: KeyHashes[]): Promise<KeyState[]> {
  const { rows } = await pool().query<{ hash: Buffer; disabled: boolean }>({
    name: 'find_key_states',
    text: `SELECT k.hash, p.disabled_at IS NOT NULL AS disabled
           FROM user_key k JOIN partner p ON p.id = k.partner_id
           WHERE k.hash = ANY($1) AND ledger_key_lives(k.revoked_at, k.expires_at)`,
    values: [keys.flat()],
  });
  const disabled = new Map(rows.map((row) => [row.hash.toString('latin1'), row.disabled]));
  return keys.map((hashes) => {
    const found = hashes
      .map((hash) => disabled.get(hash.toString('latin1')))
      .find((known) => known !== undefined);
    return found === undefined ? 'unknown' : found ? 'disabled' : 'live';
  });
}
