import { createHash } from 'node:crypto';
import { now, SECOND_MS } from '../../base/clock';
import { pool, querySlowly } from '../../base/db';
import { settings } from '../../base/env';
import { describeError, log } from '../../base/log';
import type { Json } from './canonical-json';
import { CHANGES_CREDITS, type Entry, readEntries } from './entries';
import { leafOf, rootOf } from './merkle-tree';
import { hashPrices, readPrices } from './prices';
import { openSigner, type Signer } from './signing-keys';

/**
 * Closes each day (UTC) of each user with signed statements: one for each app with bookings, and one for the account,
 * whose entries are those statements. A booking belongs to the day on which it was committed, so a request that runs
 * over midnight belongs to the day on which it ends.
 */

/** The scope of the statement that contains those of all apps. No id of a partner looks like it. */
export const ACCOUNT = 'account';

/** Long after a statement that books is cancelled, so that everything booked on the day is committed. */
const LAG = '10 minutes';
const USERS_PER_STEP = 200;

/** Several instances may run this: a day of a user is closed once. */
export async function closeDays(stop?: AbortSignal, lag = LAG): Promise<void> {
  for (;;) {
    const day = await findOpenDay(lag);
    if (day === null || !(await closeDay(day, stop))) return;
    await pool().query(
      `UPDATE watermark SET up_to = up_to + interval '1 day' WHERE name = 'statements' AND up_to = $1::date`,
      [day],
    );
  }
}

/** The first day that is not closed; null until it is over. */
async function findOpenDay(lag: string): Promise<string | null> {
  const { rows } = await pool().query<{ day: string }>(
    `SELECT to_char(up_to, 'YYYY-MM-DD') AS day FROM watermark
     WHERE name = 'statements' AND up_to + interval '1 day' + $1::interval <= clock_timestamp()`,
    [lag],
  );
  return rows[0]?.day ?? null;
}

/** Returns false if some users are left, because the process stops or a user failed. */
export async function closeDay(day: string, stop?: AbortSignal): Promise<boolean> {
  const users = await listUsers(day);
  let failed = false;
  for (let at = 0; at < users.length; at += USERS_PER_STEP) {
    for (const userId of await findOpen(users.slice(at, at + USERS_PER_STEP), day)) {
      if (stop?.aborted) return false;
      try {
        await closeDayOfUser(userId, day);
      } catch (error) {
        // The others get theirs; the day is tried again.
        failed = true;
        log().error({ day, error: describeError(error) }, 'a daily statement could not be made');
      }
    }
  }
  return !failed;
}

/** Hour by hour, so that no statement reads a whole day. */
async function listUsers(day: string): Promise<string[]> {
  const users = new Set<string>();
  for (let hour = 0; hour < 24; hour++) {
    const rows = await querySlowly<{ id: string }>(
      `SELECT DISTINCT user_id AS id FROM ledger_transaction
       WHERE created_at >= $1::date + make_interval(hours => $2) AND created_at < $1::date + make_interval(hours => $2 + 1)
         AND ${CHANGES_CREDITS}`,
      [day, hour],
    );
    for (const { id } of rows) users.add(id);
  }
  return [...users];
}

async function findOpen(users: readonly string[], day: string): Promise<string[]> {
  const { rows } = await pool().query<{ id: string }>(
    `SELECT u.id FROM "user" u WHERE u.id = ANY ($1) AND u.deleted_at IS NULL AND NOT EXISTS (
       SELECT 1 FROM daily_statement s WHERE s.user_id = u.id AND s.scope = $2 AND s.day = $3::date)`,
    [users, ACCOUNT, day],
  );
  return rows.map(({ id }) => id);
}

async function closeDayOfUser(userId: string, day: string): Promise<void> {
  const entries = await readEntries(pool(), userId, day);
  if (entries.length === 0) return;
  const signer = await openSigner();
  // In an order that does not depend on the collation of the database.
  const scopes = [...new Set(entries.map(({ partnerId }) => partnerId))].sort();
  const before = await readBefore(userId, [...scopes, ACCOUNT], day);
  const prices = await readPrices(
    pool(),
    entries.flatMap(({ priceVersion }) => priceVersion ?? []),
  );
  const hashes = hashPrices(prices);
  const chapter = { userId, day, signer, before };
  const apps = scopes.map((scope) => {
    const own = entries.filter(({ partnerId }) => partnerId === scope);
    const versions = new Set(own.map(({ priceVersion }) => priceVersion));
    return signStatement(chapter, scope, {
      leaves: own.map(({ leaf }) => leaf),
      entries: own,
      more: {
        app: scope === '' ? null : scope,
        prices: Object.fromEntries(Object.entries(hashes).filter(([version]) => versions.has(version))),
      },
    });
  });
  const account = signStatement(chapter, ACCOUNT, {
    leaves: apps.map(({ signed }) => leafOf(signed)),
    entries,
    more: { bookings: entries.length },
  });
  await insert(userId, day, [...apps, account]);
}

type Before = { signed: string | null; closing: bigint };
type AccountDay = { userId: string; day: string; signer: Signer; before: Map<string, Before> };
type Contents = { leaves: Buffer[]; entries: Entry[]; more: { readonly [name: string]: Json } };
type NewStatement = { scope: string; signed: string; closing: bigint; leaves: Buffer };

function signStatement(
  { userId, day, signer, before }: AccountDay,
  scope: string,
  { leaves, entries, more }: Contents,
): NewStatement {
  const previous = before.get(scope) ?? { signed: null, closing: 0n };
  const closing = previous.closing + sumOf(entries);
  const receipts = entries.filter(({ priceVersion }) => priceVersion !== null);
  const others = entries.filter(({ priceVersion }) => priceVersion === null);
  const signed = signer.sign('svc-statement', {
    iss: settings().BASE_URL,
    sub: subjectOf(userId, scope),
    iat: Math.floor(now() / SECOND_MS),
    scope: scope === ACCOUNT ? 'account' : 'app',
    day,
    entries: leaves.length,
    root: rootOf(leaves).toString('base64url'),
    charged: -Number(sumOf(receipts)),
    other: Object.fromEntries(
      [...new Set(others.map(({ kind }) => kind))].map((kind) => [
        kind,
        Number(sumOf(others.filter((entry) => entry.kind === kind))),
      ]),
    ),
    opening: Number(previous.closing),
    closing: Number(closing),
    previous: previous.signed === null ? null : hashOf(previous.signed),
    ...more,
  });
  return { scope, signed, closing, leaves: Buffer.concat(leaves) };
}

/**
 * The last statement of each scope before the day. Without one, what was booked until then is added up: it is older
 * than the first statement of this installation.
 */
async function readBefore(userId: string, scopes: string[], day: string): Promise<Map<string, Before>> {
  const { rows } = await pool().query<Before & { scope: string }>(
    `SELECT given.scope, last.signed, coalesce(last.closing, (
         SELECT coalesce(sum(b.credits), 0) FROM (
           SELECT t.partner_id, t.credits FROM ledger_transaction t WHERE t.user_id = $1 AND t.created_at < $3::date
           UNION ALL
           SELECT m.partner_id, -m.charge FROM archived_month m WHERE m.user_id = $1 AND m.month < $3::date) b
         WHERE given.scope = $4 OR b.partner_id = given.scope
       )::bigint) AS closing
     FROM unnest($2::text[]) AS given(scope)
     LEFT JOIN LATERAL (
       SELECT s.signed, s.closing FROM daily_statement s
       WHERE s.user_id = $1 AND s.scope = given.scope AND s.day < $3::date ORDER BY s.day DESC LIMIT 1) last ON true`,
    [userId, scopes, day, ACCOUNT],
  );
  return new Map(rows.map(({ scope, ...before }) => [scope, before]));
}

/** All of them or none, and none for an account that is being deleted. */
async function insert(userId: string, day: string, statements: NewStatement[]): Promise<void> {
  await pool().query(
    `WITH account AS (SELECT id FROM "user" WHERE id = $1 AND deleted_at IS NULL FOR SHARE)
     INSERT INTO daily_statement (user_id, scope, day, signed, closing, leaves)
     SELECT account.id, s.scope, $2::date, s.signed, s.closing, s.leaves
     FROM account, unnest($3::text[], $4::text[], $5::bigint[], $6::bytea[]) AS s(scope, signed, closing, leaves)
     ORDER BY s.scope ON CONFLICT DO NOTHING`,
    [
      userId,
      day,
      statements.map(({ scope }) => scope),
      statements.map(({ signed }) => signed),
      statements.map(({ closing }) => String(closing)),
      statements.map(({ leaves }) => leaves),
    ],
  );
}

/** Names the account, differently in each scope: neither apps nor readers of a statement can link them. */
const subjectOf = (userId: string, scope: string): string =>
  hashOf(`statements of ${userId} in ${scope}`).slice(0, 22);

/** As `previous` names the statement before. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

const sumOf = (entries: readonly Entry[]): bigint => entries.reduce((sum, { credits }) => sum + credits, 0n);
