import { readLate } from '../base/replica';
import { userRef } from './find-user';

/** Lists of users for operators. Deleted accounts are in none. */

export type ListedUser = {
  userRef: string;
  email: string;
  createdAt: Date;
  /** In microcredits, like `spent`. */
  credits: bigint;
  /** On requests, in all apps. */
  spent: bigint;
  requests: number;
  lastRequestAt: Date | null;
};

type Page = { limit: number; offset: number };
export type UserOrder = 'newest' | 'spent';

/** `page` selects `id`, `email` and `created_at` of the users to describe, in the order `rank`. */
const describe = (page: string): string => `
  WITH page AS MATERIALIZED (${page})
  SELECT p.id AS "userId", p.email, p.created_at AS "createdAt", coalesce(w.money, 0) AS credits,
         coalesce(s.spent, 0) AS spent, coalesce(s.requests, 0) AS requests, s.last_at AS "lastRequestAt"
  FROM page p
  LEFT JOIN wallet w ON w.user_id = p.id
  LEFT JOIN LATERAL (
    SELECT sum(a.charge)::bigint AS spent, sum(a.requests)::float8 AS requests, max(a.last_at) AS last_at
    FROM user_app u JOIN activity_app_user a ON a.partner_id = u.partner_id AND a.user_id = u.user_id
    WHERE u.user_id = p.id) s ON true
  ORDER BY p.rank`;

const PAGES: Record<UserOrder, string> = {
  newest: `
    SELECT id, email, created_at, row_number() OVER () AS rank FROM (
      SELECT id, email, created_at FROM "user" WHERE deleted_at IS NULL ORDER BY created_at DESC, id LIMIT $1 OFFSET $2) u`,
  spent: `
    SELECT id, email, created_at, row_number() OVER () AS rank FROM (
      SELECT u.id, u.email, u.created_at
      FROM (SELECT user_id, sum(charge) AS spent FROM activity_app_user GROUP BY 1) s
      JOIN "user" u ON u.id = s.user_id WHERE u.deleted_at IS NULL ORDER BY s.spent DESC, u.id LIMIT $1 OFFSET $2) u`,
};

/** `hasMore`: whether a next page exists. */
export async function listUsers(
  order: UserOrder,
  { limit, offset }: Page,
): Promise<{ users: ListedUser[]; hasMore: boolean }> {
  return readUsers(describe(PAGES[order]), [limit + 1, offset], limit);
}

/** A part of an address is looked for among this many users, the newest: a bounded scan. */
const SEARCHED_USERS = 250_000;
const MATCHES: Record<'email' | 'appUserId', string> = {
  email: `
    SELECT id, email, created_at, row_number() OVER () AS rank FROM (
      SELECT id, email, created_at FROM "user" WHERE deleted_at IS NULL ORDER BY created_at DESC, id LIMIT ${SEARCHED_USERS}) u
    WHERE strpos(email, $1) > 0 LIMIT $2`,
  appUserId: `
    SELECT u.id, u.email, u.created_at, row_number() OVER () AS rank FROM (
      SELECT DISTINCT user_id FROM user_app WHERE app_user_id LIKE $1 || '%' LIMIT $2) a
    JOIN "user" u ON u.id = a.user_id WHERE u.deleted_at IS NULL`,
};

/** Users by a part of their e-mail address, newest first, or by the beginning of an app user id. */
export async function searchUsers(
  text: string,
  limit: number,
): Promise<{ users: ListedUser[]; hasMore: boolean }> {
  const name = text.trim();
  return name.startsWith('au_')
    ? readUsers(describe(MATCHES.appUserId), [name.replaceAll(/[\\%_]/g, '\\$&'), limit + 1], limit)
    : readUsers(describe(MATCHES.email), [name.toLowerCase(), limit + 1], limit);
}

async function readUsers(query: string, values: unknown[], limit: number) {
  const { rows } = await readLate<Omit<ListedUser, 'userRef'> & { userId: string }>(query, values);
  const users = rows.slice(0, limit).map(({ userId, ...user }) => ({ userRef: userRef(userId), ...user }));
  return { users, hasMore: rows.length > limit };
}
