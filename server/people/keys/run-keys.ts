import { DAY_MS, now, SECOND_MS } from '../../base/clock';
import { creditsToJson, describeCredits, type Microcredits } from '../../base/credits';
import { inTransaction, pool, prisma, type Tx } from '../../base/db';
import { ApiError, invariant } from '../../base/errors';
import { invalidUserKey } from '../../base/http/credentials';
import { newId } from '../../base/ids';
import { hashUserKey, newUserKey } from '../../base/tokens';
import { type Budget, leftOf, openBudget, readBudgets } from '../../ledger';
import type { Caller } from '../access/authenticate';
import { lockAppUser } from './mint';
import { revokeUserKey } from './revoke';

/**
 * Run keys: user keys with a budget and an end, minted with another key. `lineage` has the ids from the ordinary key down to
 * the key itself. A run key can do nothing that its ancestors cannot: its models are among theirs, it ends no later, it has
 * their restrictions, and its requests draw on the budgets of them all.
 */

const MAX_DEPTH = 3;
/** Per user and app. */
const MAX_LIVE_RUN_KEYS = 1_000;
/** Per user and app. One that is revoked makes room for another, but is stored until it is forgotten. */
const MAX_NEW_RUN_KEYS_PER_DAY = 10_000;
export const MAX_LIFETIME_SECONDS = (30 * DAY_MS) / SECOND_MS;

export type RunKeyRequest = {
  credits: Microcredits;
  expiresInSeconds: number;
  models?: string[] | undefined;
  requests?: number | undefined;
  label?: string | undefined;
};

export type RunKey = {
  keyId: string;
  credits: Microcredits;
  expiresAt: Date;
  label: string | null;
  models: string[] | null;
  requests: number | null;
};

type Parent = { id: string; models: string[] | null; expires_at: Date | null };

/** Mints one below the key of the caller. Mints for the same user and app run one at a time. */
export async function mintRunKey(
  caller: Caller,
  asked: RunKeyRequest,
): Promise<RunKey & { userKey: string }> {
  const { userId, partnerId } = caller;
  const parents = caller.lineage.length === 0 ? [caller.keyId] : caller.lineage;
  if (parents.length > MAX_DEPTH)
    throw new ApiError('key_restricted', `This run key has depth ${MAX_DEPTH} and cannot mint another one.`);
  const userKey = newUserKey();
  const key = await inTransaction(async (tx) => {
    await lockAppUser(tx, userId, partnerId);
    const parent = await lockBranch(tx, parents);
    await requireRoom(tx, caller);
    await requireWithinParent(caller, parent, asked);
    const keyId = newId('key');
    const endsAt = now() + asked.expiresInSeconds * SECOND_MS;
    const expiresAt = new Date(Math.min(endsAt, parent.expires_at?.getTime() ?? endsAt));
    const { credits, label = null, models = parent.models, requests = null } = asked;
    const hash = hashUserKey(userKey);
    invariant(hash, 'a new key has a valid checksum');
    await tx.$executeRaw`
      INSERT INTO user_key (id, user_id, partner_id, hash, last4, created_at, lineage, label, models, expires_at, origins, networks)
      SELECT ${keyId}, ${userId}, ${partnerId}, ${new Uint8Array(hash)}, ${userKey.slice(-4)}, ${new Date(now())},
        ${[...parents, keyId]}::text[], ${label}, ${models}::text[], ${expiresAt}, k.origins, k.networks
      FROM user_key k WHERE k.id = ${parent.id}`;
    await openBudget(tx, { userId, partnerId, id: keyId, credits, requests });
    return { keyId, credits, expiresAt, label, models, requests };
  });
  return { userKey, ...key };
}

/** Until the transaction ends, a revocation of any of them waits, and then finds the new key. Returns the last of them. */
async function lockBranch(tx: Tx, ids: readonly string[]): Promise<Parent> {
  const rows = await tx.$queryRaw<Parent[]>`
    SELECT id, models, expires_at FROM user_key
    WHERE id = ANY (${ids}) AND ledger_key_lives(revoked_at, expires_at) ORDER BY lineage FOR KEY SHARE`;
  const parent = rows.find(({ id }) => id === ids.at(-1));
  if (parent === undefined || rows.length !== ids.length) throw invalidUserKey();
  return parent;
}

async function requireRoom(tx: Tx, { userId, partnerId }: Caller): Promise<void> {
  const [row] = await tx.$queryRaw<{ live: bigint; today: bigint }[]>`
    SELECT count(*) FILTER (WHERE ledger_key_lives(revoked_at, expires_at)) AS live,
      count(*) FILTER (WHERE created_at > ${new Date(now() - DAY_MS)}) AS today
    FROM user_key WHERE user_id = ${userId} AND partner_id = ${partnerId} AND lineage <> '{}'`;
  if (Number(row?.live ?? 0) >= MAX_LIVE_RUN_KEYS)
    throw noRoom(
      `This user has ${MAX_LIVE_RUN_KEYS} live run keys in this app. Revoke some, or wait until they expire.`,
    );
  if (Number(row?.today ?? 0) >= MAX_NEW_RUN_KEYS_PER_DAY)
    throw noRoom(
      `This user got ${MAX_NEW_RUN_KEYS_PER_DAY} run keys in this app within a day. Use one for several requests, or wait.`,
    );
}

const noRoom = (message: string): ApiError =>
  new ApiError('rate_limited', message, { retryAfterSeconds: 60 });

async function requireWithinParent(
  { userId, lineage, keyId }: Caller,
  parent: Parent,
  asked: RunKeyRequest,
): Promise<void> {
  const foreign = asked.models?.find((model) => parent.models?.includes(model) === false);
  if (foreign !== undefined) throw refuse('models', `the key that mints may not use ${foreign}`);
  if (lineage.length === 0) return;
  const [budget] = await readBudgets(userId, [keyId]);
  const unspent = (budget?.credits ?? 0n) - (budget?.spent ?? 0n);
  if (asked.credits > unspent)
    throw refuse(
      'credits',
      `the key that mints has ${describeCredits(unspent)} left, so this may be at most ${creditsToJson(unspent)}`,
    );
}

const refuse = (param: string, reason: string): ApiError =>
  new ApiError('invalid_request', `${param}: ${reason}`, { param });

/** Revokes a key of the caller's branch, its own included, with all below it. False if there is no such live key. */
export async function revokeBranch({ userId, partnerId, keyId }: Caller, id: string): Promise<boolean> {
  const key = await prisma().userKey.findFirst({
    where: { id, userId, partnerId, revokedAt: null, OR: [{ id: keyId }, { lineage: { has: keyId } }] },
    select: { id: true },
  });
  if (key === null) return false;
  return inTransaction((tx) => revokeUserKey(tx, { keyId: key.id, reason: 'holder_revoked' }));
}

/** Of these keys, the run keys that were revoked. */
export async function findRevokedRunKeys(ids: string[]): Promise<Set<string>> {
  const { rows } = await pool().query<{ id: string }>({
    name: 'find_revoked_run_keys',
    text: "SELECT id FROM user_key WHERE id = ANY ($1) AND revoked_at IS NOT NULL AND lineage <> '{}'",
    values: [ids],
  });
  return new Set(rows.map(({ id }) => id));
}

/** What a run key has left, which is no more than any of its ancestors has. Null for an ordinary key. */
export async function readRunKey({ userId, keyId, lineage }: Caller): Promise<{
  keyId: string;
  label: string | null;
  expiresAt: Date | null;
  budget: Budget;
  left: Microcredits;
} | null> {
  if (lineage.length === 0) return null;
  const [key, budgets] = await Promise.all([
    prisma().userKey.findUniqueOrThrow({ where: { id: keyId }, select: { label: true, expiresAt: true } }),
    readBudgets(userId, lineage.slice(1)),
  ]);
  const budget = budgets.at(-1);
  invariant(budget, 'a live run key has a budget');
  const left = budgets
    .map((each) => leftOf(each) ?? 0n)
    .reduce((least, each) => (each < least ? each : least));
  return { keyId, ...key, budget, left: left as Microcredits };
}

/** The keys of the caller's branch, whose requests it may read; null for an ordinary key, which may read all. */
export async function readBranch({ userId, partnerId, keyId, lineage }: Caller): Promise<string[] | null> {
  if (lineage.length === 0) return null;
  const keys = await prisma().userKey.findMany({
    where: { userId, partnerId, lineage: { has: keyId } },
    select: { id: true },
  });
  return keys.map(({ id }) => id);
}
