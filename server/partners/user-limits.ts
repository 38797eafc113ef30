import { describeCredits, formatCredits, type Microcredits } from '../base/credits';
import { inTransaction, pool, prisma, type Tx } from '../base/db';
import { ApiError } from '../base/errors';
import { type LimitRefusal, type ModelRule, readTypedLimits, type TypedLimits } from '../base/typed-limits';
import { type Actor, recordTeamAction } from './audit-log';
import type { AppOfTeam } from './teams';

/** What each user may spend in an app, as its partner and operators set it: see docs/limits.md. */

const FIELDS = ['day', 'month', 'request'] as const;
type Field = (typeof FIELDS)[number];

export type UserLimits = Record<Field, Microcredits | null> & { models: ModelRule | null };
type TypedUserLimits = TypedLimits<Field>;

/** In place of a partner id: the default for the apps that set no limits. */
const ALL_PARTNERS = '';
/** In place of an app user id. */
const ALL_USERS = '';

/** The default has no partner, and only the limits for a single user have an app user. */
type LimitTarget = { partnerId: string; appUserId: string; ceiling: boolean };

const ofApp = (partnerId: string): LimitTarget => ({ partnerId, appUserId: ALL_USERS, ceiling: false });
const ceilingOf = (partnerId: string): LimitTarget => ({ partnerId, appUserId: ALL_USERS, ceiling: true });
const DEFAULT = ofApp(ALL_PARTNERS);

export type AppLimits = {
  /** Of all users; null while the app sets none, so that the default applies. */
  own: UserLimits | null;
  /** The service's, for apps that set none. */
  standard: UserLimits | null;
  /** The most that the app may set. It applies in any case. */
  ceiling: UserLimits | null;
};

export async function readAppLimits(partnerId: string, db: Tx = prisma()): Promise<AppLimits> {
  const rows = await db.partnerLimit.findMany({
    where: { partnerId: { in: [partnerId, ALL_PARTNERS] }, appUserId: ALL_USERS },
  });
  const find = (of: string, isCeiling = false) => {
    const row = rows.find((one) => one.partnerId === of && one.ceiling === isCeiling);
    return row ? toLimits(row) : null;
  };
  return { own: find(partnerId), standard: find(ALL_PARTNERS), ceiling: find(partnerId, true) };
}

export const readDefaultLimits = (db: Tx = prisma()): Promise<UserLimits | null> => findLimits(DEFAULT, db);

/** What was typed, unless it exceeds the ceiling. No limit at all is null. */
export function readUserLimits(
  typed: TypedUserLimits,
  ceiling: UserLimits | null = null,
): { refusal: LimitRefusal } | { refusal: null; limits: UserLimits } {
  const read = readTypedLimits(typed, FIELDS);
  if (read.refusal) return read;
  for (const field of FIELDS) {
    const [asked, most] = [read.amounts[field], ceiling?.[field] ?? null];
    if (asked === null || most === null || asked <= most) continue;
    const message = `Enter at most ${formatCredits(most)}, the most that this service allows.`;
    return { refusal: { field, message } };
  }
  return { refusal: null, limits: { ...read.amounts, models: read.models } };
}

export const saveAppLimits = (partnerId: string, limits: UserLimits, tx: Tx): Promise<void> =>
  write(ofApp(partnerId), limits, tx);

export const saveCeiling = (partnerId: string, limits: UserLimits, tx: Tx): Promise<void> =>
  write(ceilingOf(partnerId), limits, tx);

export const saveDefaultLimits = (limits: UserLimits, tx: Tx): Promise<void> => write(DEFAULT, limits, tx);

/** Limits that limit nothing are no limits. */
async function write(target: LimitTarget, limits: UserLimits, tx: Tx): Promise<void> {
  if (FIELDS.every((field) => limits[field] === null) && limits.models === null)
    await tx.partnerLimit.deleteMany({ where: target });
  else await upsert(target, limits, tx);
}

async function upsert(
  target: LimitTarget,
  { request, day, month, models }: UserLimits,
  tx: Tx,
): Promise<void> {
  const values = {
    perRequest: request,
    perDay: day,
    perMonth: month,
    modelRule: models?.rule ?? null,
    models: models?.models ?? [],
  };
  await tx.partnerLimit.upsert({
    where: { partnerId_appUserId_ceiling: target },
    create: { ...target, ...values },
    update: values,
  });
}

/** The page shows them all. */
const MAX_SINGLE_USERS = 500;

type OfUser = { app: AppOfTeam; actor: Actor; appUserId: string };

/** Replaces the app's limits for one user. Without a limit in it, this user has none; null: those of the app again. */
export async function changeLimitsOfUser(
  { app: { id: partnerId, teamId }, actor, appUserId }: OfUser,
  limits: UserLimits | null,
): Promise<void> {
  const target = { partnerId, appUserId, ceiling: false };
  await inTransaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM partner WHERE id = ${partnerId} FOR NO KEY UPDATE`;
    const user = await tx.userApp.findFirst({ where: { partnerId, appUserId } });
    if (user === null)
      throw new ApiError('not_found', 'Your app has no user with this ID. It starts with au_.', {
        param: 'user',
      });
    const before = await findLimits(target, tx);
    if (limits === null) await tx.partnerLimit.deleteMany({ where: target });
    else {
      if (before === null) await requireRoom(tx, partnerId);
      await upsert(target, limits, tx);
    }
    const facts = [before, limits].map((one) => ({ user_limits: one && describeLimits(one) }));
    if (facts[0]?.user_limits === facts[1]?.user_limits) return;
    await recordTeamAction(tx, {
      teamId,
      partnerId,
      actor,
      what: 'app.limits_of_user',
      subject: appUserId,
      before: facts[0],
      after: facts[1],
    });
  });
}

async function requireRoom(tx: Tx, partnerId: string): Promise<void> {
  const count = await tx.partnerLimit.count({ where: { partnerId, appUserId: { not: ALL_USERS } } });
  if (count >= MAX_SINGLE_USERS)
    throw new ApiError(
      'invalid_request',
      `At most ${MAX_SINGLE_USERS} users can have limits of their own. Remove one first.`,
      { param: 'user' },
    );
}

export async function listLimitsOfUsers(
  partnerId: string,
): Promise<{ appUserId: string; limits: UserLimits }[]> {
  const rows = await prisma().partnerLimit.findMany({
    where: { partnerId, appUserId: { not: ALL_USERS } },
    orderBy: { appUserId: 'asc' },
  });
  return rows.map((row) => ({ appUserId: row.appUserId, limits: toLimits(row) }));
}

async function findLimits(target: LimitTarget, db: Tx): Promise<UserLimits | null> {
  const row = await db.partnerLimit.findUnique({ where: { partnerId_appUserId_ceiling: target } });
  return row && toLimits(row);
}

type Row = {
  perRequest: bigint | null;
  perDay: bigint | null;
  perMonth: bigint | null;
  modelRule: string | null;
  models: string[];
};

const toLimits = ({ perRequest, perDay, perMonth, modelRule, models }: Row): UserLimits => ({
  request: perRequest as Microcredits | null,
  day: perDay as Microcredits | null,
  month: perMonth as Microcredits | null,
  models: modelRule === null ? null : { rule: modelRule as ModelRule['rule'], models },
});

/** In words, for pages and logs. */
export function describeLimits({ day, month, request, models }: UserLimits): string {
  const amounts = Object.entries({ day, month, request }).flatMap(([per, most]) =>
    most === null ? [] : `${describeCredits(most)} per ${per}`,
  );
  const rule =
    models && `${models.rule === 'only' ? 'only' : 'all models except'} ${models.models.join(', ')}`;
  return [...amounts, ...(rule ? [rule] : [])].join('; ') || 'no limits';
}

type UserNearLimit = {
  appUserId: string;
  daySpent: Microcredits;
  perDay: Microcredits | null;
  monthSpent: Microcredits;
  perMonth: Microcredits | null;
};

const SHOWN_USERS = 50;

/**
 * Users who have spent at least 80% of a limit per day or month (UTC), the highest share first. Most users share one set of
 * limits, which is found once: 0.6 s in an app of 100,000 users.
 */
export async function listUsersNearLimits(partnerId: string): Promise<UserNearLimit[]> {
  const { rows } = await pool().query<UserNearLimit>(
    `WITH limits AS (
       SELECT o.app_user_id, min(l.per_day) AS per_day, min(l.per_month) AS per_month
       FROM (SELECT DISTINCT app_user_id FROM partner_limit WHERE partner_id IN ($1, '')) o
       CROSS JOIN LATERAL ledger_partner_limits($1, o.app_user_id) l GROUP BY 1)
     SELECT u.app_user_id AS "appUserId", s.day AS "daySpent", l.per_day AS "perDay", s.month AS "monthSpent",
       l.per_month AS "perMonth"
     FROM (SELECT ledger_today()) AS t (today) CROSS JOIN user_app u
     CROSS JOIN LATERAL ledger_spent_in_app(u, t.today) s
     LEFT JOIN limits own USING (app_user_id)
     JOIN limits l ON l.app_user_id = coalesce(own.app_user_id, '')
     CROSS JOIN LATERAL (SELECT greatest(s.day::numeric / l.per_day, s.month::numeric / l.per_month)) AS share (most)
     WHERE u.partner_id = $1 AND u.month_spent > 0 AND share.most >= 0.8
     ORDER BY share.most DESC, u.app_user_id LIMIT $2`,
    [partnerId, SHOWN_USERS],
  );
  return rows;
}
