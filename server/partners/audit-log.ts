import type { AuditEntry, Prisma } from '../../prisma/client/client';
import { nowDate } from '../base/clock';
import { prisma, type Tx } from '../base/db';

/**
 * The audit logs of the operator and of teams: who changed what, and when, written in the transaction that does it and
 * never changed. They hold no secret, and users as user ids, so that no e-mail address of a deleted account remains.
 */

/** The user id of a member, or who else acted. */
export type Actor = string | 'operator' | 'service';

/** Every action that an operator can take, in the dashboard or on the command line. */
export const OPERATOR_ACTIONS = {
  'app.create': 'Created the app',
  'app.approve': 'Approved the app',
  'app.decline': 'Declined the app',
  'app.name_approve': 'Approved the name',
  'app.name_decline': 'Declined the name',
  'app.profile_approve': 'Approved the profile',
  'app.profile_decline': 'Declined the profile',
  'app.disable': 'Disabled the app',
  'app.enable': 'Enabled the app',
  'app.resume': 'Resumed the app',
  'app.rate': 'Changed the rate',
  'app.rate_cap': 'Changed the rate cap',
  'app.earnings_hold': 'Changed the maturity period',
  'app.key': 'Rotated the publishable key',
  'app.owner': 'Changed the owner',
  'app.origins': 'Changed the origins',
  'app.redirects': 'Changed the redirect addresses',
  'app.webhook': 'Changed the webhook',
  'app.models': 'Changed the models',
  'app.limit_ceiling': 'Changed the ceiling of limits',
  'app.limit_default': 'Changed the default limits',
  'user.resume': 'Resumed the user',
  'user.passkeys': 'Removed the passkeys',
  'user.block_purchases': 'Blocked the purchases',
  'user.allow_purchases': 'Allowed the purchases',
  'credits.give': 'Gave credits',
  'credits.take': 'Took credits',
  'purchase.refund_asked': 'Requested a refund',
  'purchase.refunded': 'Refunded a purchase',
  'payment.dismiss': 'Dismissed an alert',
  'payment.credit': 'Credited a payment',
  'promotion.create': 'Created a promotion',
  'promotion.links': 'Created gift links',
  'promotion.disable': 'Disabled a promotion',
  'correction.propose': 'Proposed corrections',
  'correction.approve': 'Approved corrections',
  'correction.discard': 'Discarded corrections',
  'payout.approve': 'Approved a payout',
  'payout.hold': 'Paused a payout',
  'payout.release': 'Resumed a payout',
  'payout.send_now': 'Asked to send a payout now',
  'payout.again': 'Planned a payout again',
  'payout.sent': 'Recorded a payout as sent',
  'payout.returned': 'Recorded a payout as returned',
  'payout.failed': 'Recorded a payout as failed',
  'payout.reverse_asked': 'Asked to reverse a payout',
  'payout.reversed': 'Reversed a payout',
  'payout.destination': 'Viewed the destination of a payout',
  'team.hold': 'Paused the payouts of the team',
  'team.release': 'Resumed the payouts of the team',
  'team.terms': 'Changed the payout terms',
} as const;

/** What a team reads of the actions of its members, and of some of those of the operator. */
const TEAM_ACTIONS = {
  'app.rename': 'Changed the name',
  'app.ask': 'Asked for approval',
  'app.profile': 'Changed the profile',
  'app.pause': 'Paused the app',
  'app.delete': 'Deleted the app',
  'app.rate_cancel': 'Cancelled a planned rate',
  'app.key_networks': 'Changed the networks of user keys',
  'app.limits': 'Changed the limits of users',
  'app.limits_of_user': 'Changed the limits of a single user',
  'app.origin_add': 'Added an origin',
  'app.origin_remove': 'Removed an origin',
  'app.redirect_add': 'Added a redirect address',
  'app.redirect_remove': 'Removed a redirect address',
  'app.webhook': 'Set the webhook endpoint',
  'app.webhook_remove': 'Removed the webhook endpoint',
  'app.secret_create': 'Created the signing secret',
  'app.secret_show': 'Looked at the signing secret',
  'app.secret_rotate': 'Created a new signing secret',
  'app.secret_use': 'Put the new signing secret into use',
  'app.secret_cancel': 'Cancelled the rotation of the signing secret',
  'app.owner': 'Moved the app between teams',
  'payouts.payee': 'Changed the payee details',
  'payouts.account': 'Set up the payout account',
  'payouts.disconnect': 'Disconnected the payout account',
  'payouts.request': 'Requested a payout',
  'team.rename': 'Renamed the team',
  'team.invite': 'Invited a person',
  'team.invite_again': 'Sent an invitation again',
  'team.invite_withdraw': 'Withdrew an invitation',
  'team.join': 'Joined the team',
  'team.leave': 'Left the team',
  'team.remove': 'Removed a member',
  'team.role': 'Changed a role',
  'team.email': 'Changed their e-mail address',
  'team.hand_over': 'Handed over the ownership',
  'payout.send_now': 'Tried a payout again',
  'payout.again': 'Requested another payout',
  'payout.sent': 'Sent a payout',
  'team.hold': 'Paused the payouts',
  'team.release': 'Resumed the payouts',
} as const;

const TEAM_WORDS: Readonly<Record<string, string>> = { ...OPERATOR_ACTIONS, ...TEAM_ACTIONS };
const OPERATOR_WORDS: Readonly<Record<string, string>> = OPERATOR_ACTIONS;

export const describeAction = ({ what, teamId }: Pick<AuditEntry, 'what' | 'teamId'>): string =>
  (teamId === null ? OPERATOR_WORDS : TEAM_WORDS)[what] ?? what;

type Facts = Prisma.InputJsonObject;

export type TeamEntry = {
  teamId: string;
  /** The app it concerns; none for the team as a whole. */
  partnerId?: string | undefined;
  actor: Actor;
  what: string;
  subject?: string | undefined;
  before?: Facts | undefined;
  after?: Facts | undefined;
};

/** Keeps of `before` and `after` what differs. */
export async function recordTeamAction(tx: Tx, entry: TeamEntry): Promise<void> {
  const { before, after, partnerId = null, subject = null } = entry;
  const names = Object.keys({ ...before, ...after }).filter(
    (name) => JSON.stringify(before?.[name] ?? null) !== JSON.stringify(after?.[name] ?? null),
  );
  await recordEntry(tx, {
    teamId: entry.teamId,
    partnerId,
    actor: entry.actor,
    what: entry.what,
    subject,
    ...(before && { before: pick(before, names) }),
    ...(after && { after: pick(after, names) }),
  });
}

export async function recordEntry(tx: Tx, entry: Omit<Prisma.AuditEntryCreateInput, 'at'>): Promise<void> {
  await tx.auditEntry.create({ data: { at: nowDate(), ...entry } });
}

const pick = (facts: Facts, names: string[]): Facts =>
  Object.fromEntries(names.filter((name) => name in facts).map((name) => [name, facts[name]]));

export type LoggedAction = Omit<AuditEntry, 'actor' | 'subject'> & {
  /** Names of people as `nameActors` writes them. */
  actor: string;
  subject: string | null;
  appName: string | null;
};

export type LogPage = {
  /** The id of the last entry on the previous page. */
  before?: number | undefined;
  limit: number;
};

/** Newest first. */
export async function listEntries(
  where: Prisma.AuditEntryWhereInput,
  { before, limit }: LogPage,
): Promise<{ entries: AuditEntry[]; hasMore: boolean }> {
  const rows = await prisma().auditEntry.findMany({
    where: { ...where, ...(before !== undefined && { id: { lt: before } }) },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  return { entries: rows.slice(0, limit), hasMore: rows.length > limit };
}

export async function listTeamActions(
  teamId: string,
  page: LogPage,
): Promise<{ actions: LoggedAction[]; hasMore: boolean }> {
  const { entries: shown, hasMore } = await listEntries({ teamId }, page);
  const [people, apps] = await Promise.all([
    nameActors(shown.flatMap(({ actor, subject }) => [actor, subject])),
    prisma().partner.findMany({
      where: { id: { in: shown.flatMap(({ partnerId }) => partnerId ?? []) } },
      select: { id: true, name: true },
    }),
  ]);
  const appNames = new Map(apps.map(({ id, name }) => [id, name]));
  return {
    actions: shown.map((action) => ({
      ...action,
      actor: people.get(action.actor) ?? action.actor,
      subject: action.subject && (people.get(action.subject) ?? action.subject),
      appName: action.partnerId && (appNames.get(action.partnerId) ?? null),
    })),
    hasMore,
  };
}

/** How pages call those who acted or were invited. Other texts are left out. */
async function nameActors(actors: (string | null)[]): Promise<Map<string, string>> {
  const given = [...new Set(actors)].filter((actor) => actor !== null);
  const ids = given.filter((actor) => actor.startsWith('usr_'));
  const [users, invitations] = await Promise.all([
    prisma().user.findMany({ where: { id: { in: ids }, deletedAt: null } }),
    prisma().teamInvitation.findMany({ where: { id: { in: given } } }),
  ]);
  const emails = new Map([...users, ...invitations].map(({ id, email }) => [id, email]));
  return new Map(
    given.flatMap((actor): [string, string][] => {
      if (actor === 'operator' || actor === 'service') return [[actor, `the ${actor}`]];
      if (actor.startsWith('inv_')) return [[actor, emails.get(actor) ?? 'an earlier invitation']];
      return actor.startsWith('usr_') ? [[actor, emails.get(actor) ?? 'a deleted account']] : [];
    }),
  );
}

/** A registered origin or redirect address, and who added it, if that is known. */
export type Registered = { value: string; createdBy: string | null };

/** Replaces those who acted by their names. */
export async function withMakers(rows: Registered[]): Promise<Registered[]> {
  const names = await nameActors(rows.map(({ createdBy }) => createdBy));
  return rows.map(({ value, createdBy }) => ({
    value,
    createdBy: createdBy && (names.get(createdBy) ?? null),
  }));
}

/** How pages call one who acted; null if nobody is recorded. */
export async function nameActor(actor: string | null): Promise<string | null> {
  return actor && ((await nameActors([actor])).get(actor) ?? null);
}
