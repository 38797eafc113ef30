import type { TeamInvitation } from '../../prisma/client/client';
import { DAY_MS, now, nowDate } from '../base/clock';
import { inTransaction, prisma, type Tx } from '../base/db';
import { type MailRefs, makeMailDue } from '../base/due-mails';
import { newId } from '../base/ids';
import { lockAccount } from '../base/lock-account';
import type { Mail } from '../base/mail';
import { countAttempt } from '../base/rate-limit/attempts';
import { type Actor, recordTeamAction } from './audit-log';
import type { GivenRole } from './members';
import { writeInvitation } from './team-mails';
import { findRole, lockTeam } from './teams';

/** Invitations to a team. Their ids are no secrets: only an account with the invited e-mail address can accept one. */

const VALID_MS = 7 * DAY_MS;
const MAX_PEOPLE = 50;
/** Mails go to people who did not ask for them. */
const MAILS_OF_TEAM_PER_DAY = 20;
const MAILS_TO_MAILBOX_PER_DAY = 5;

type Refusal = { ok: false; message: string };
type Outcome = { ok: true } | Refusal;

const refuse = (message: string): Refusal => ({ ok: false, message });
const GONE = refuse('This invitation is no longer open');

type NewInvitation = {
  teamId: string;
  actor: Actor;
  /** Normalised, and without its tag for the limit. */
  email: string;
  mailbox: string;
  role: GivenRole;
};

export async function invite({ teamId, actor, email, mailbox, role }: NewInvitation): Promise<Outcome> {
  const isLimited = await countMail(teamId, mailbox);
  if (isLimited) return isLimited;
  return inTransaction(async (tx) => {
    await lockTeam(tx, teamId);
    if ((await findRole(email, teamId, tx)) !== null) return refuse('This person is already a member');
    if ((await tx.teamInvitation.count({ where: { ...validOf(teamId), email } })) > 0)
      return refuse('This person is already invited. Send the invitation again instead');
    if (await isFull(tx, teamId)) return FULL;
    await tx.teamInvitation.deleteMany({ where: { teamId, email } });
    const dates = { createdAt: nowDate(), expiresAt: new Date(now() + VALID_MS) };
    const id = newId('inv');
    await tx.teamInvitation.create({ data: { id, teamId, email, role, invitedBy: actor, ...dates } });
    await makeMailDue(tx, 'invitation', { invitationId: id });
    await record(tx, 'team.invite', { id, teamId, role }, actor);
    return { ok: true };
  });
}

const FULL = refuse(`A team has at most ${MAX_PEOPLE} members, including those invited`);
const validOf = (teamId: string) => ({ teamId, state: 'open', expiresAt: { gt: nowDate() } });

async function isFull(tx: Tx, teamId: string): Promise<boolean> {
  const members = await tx.teamMember.count({ where: { teamId } });
  return members + (await tx.teamInvitation.count({ where: validOf(teamId) })) >= MAX_PEOPLE;
}

type InvitationChange = { teamId: string; actor: Actor; invitationId: string };

/** Valid for another 7 days, even if it had expired. */
export async function inviteAgain({
  mailboxOf,
  ...asked
}: InvitationChange & { mailboxOf: (email: string) => string }) {
  const invitation = await findOpen(prisma(), asked);
  if (invitation === null) return GONE;
  const isLimited = await countMail(asked.teamId, mailboxOf(invitation.email));
  if (isLimited) return isLimited;
  return changeOpen('team.invite_again', asked, { expiresAt: new Date(now() + VALID_MS) });
}

export async function withdrawInvitation(asked: InvitationChange): Promise<Outcome> {
  return changeOpen('team.invite_withdraw', asked, { state: 'withdrawn' });
}

async function changeOpen(
  what: string,
  asked: InvitationChange,
  data: Partial<TeamInvitation>,
): Promise<Outcome> {
  return inTransaction(async (tx) => {
    await lockTeam(tx, asked.teamId);
    const invitation = await findOpen(tx, asked);
    if (invitation === null) return GONE;
    // One that expired is not counted until it is valid again.
    if (data.expiresAt && isExpired(invitation) && (await isFull(tx, asked.teamId))) return FULL;
    await tx.teamInvitation.update({ where: { id: invitation.id }, data });
    if (data.expiresAt) await makeMailDue(tx, 'invitation', { invitationId: invitation.id });
    await record(tx, what, invitation, asked.actor);
    return { ok: true };
  });
}

const findOpen = (db: Tx, { invitationId: id, teamId }: InvitationChange) =>
  db.teamInvitation.findFirst({ where: { id, teamId, state: 'open' } });

export type Invitation = Pick<TeamInvitation, 'id' | 'email' | 'role' | 'expiresAt'> & { isExpired: boolean };

/** Those that nobody accepted or withdrew, oldest first. */
export async function listInvitations(teamId: string): Promise<Invitation[]> {
  const rows = await prisma().teamInvitation.findMany({
    where: { teamId, state: 'open' },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  return rows.map((row) => ({ ...row, isExpired: isExpired(row) }));
}

export type ReceivedInvitation = {
  state: 'open' | 'expired' | 'accepted' | 'withdrawn';
  role: string;
  inviter: string | null;
  teamName: string;
  appNames: string[];
};

/** Null if there is none for this e-mail address. */
export async function findReceived(invitationId: string, email: string): Promise<ReceivedInvitation | null> {
  const found = await prisma().teamInvitation.findFirst({
    where: { id: invitationId, email },
    include: { team: { include: { partners: { orderBy: { createdAt: 'asc' } } } } },
  });
  return (
    found && {
      state: stateOf(found),
      role: found.role,
      inviter: await findInviter(found),
      teamName: found.team.name,
      appNames: found.team.partners.map(({ name }) => name),
    }
  );
}

/** The address of the member who sent it; null if the account no longer exists. */
async function findInviter({ invitedBy }: Pick<TeamInvitation, 'invitedBy'>): Promise<string | null> {
  const user = await prisma().user.findFirst({ where: { id: invitedBy, deletedAt: null } });
  return user?.email ?? null;
}

/** The invited address, for the sign-in that an open invitation leads to. Its random id was sent to that address. */
export async function findInvitedAddress(path: string): Promise<string | null> {
  const id = /^\/team\/invitations\/(inv_\w{1,40})$/.exec(path)?.[1];
  if (id === undefined) return null;
  const invitation = await prisma().teamInvitation.findUnique({ where: { id } });
  return invitation && stateOf(invitation) === 'open' ? invitation.email : null;
}

/** Returns the team, or what the invitation is instead of open; null if there is none for this account. */
export async function acceptInvitation(
  userId: string,
  invitationId: string,
): Promise<{ teamId: string } | { state: ReceivedInvitation['state'] } | null> {
  return inTransaction(async (tx) => {
    const { email } = await lockAccount(tx, userId);
    const found = await tx.teamInvitation.findFirst({ where: { id: invitationId, email } });
    if (found === null) return null;
    const { teamId } = found;
    await lockTeam(tx, teamId);
    const invitation = await tx.teamInvitation.findUnique({ where: { id: invitationId } });
    if (invitation === null) return null;
    if (stateOf(invitation) !== 'open') return { state: stateOf(invitation) };
    const member = { teamId, email, role: invitation.role, addedAt: nowDate() };
    await tx.teamMember.createMany({ data: [member], skipDuplicates: true });
    await tx.teamInvitation.update({ where: { id: invitationId }, data: { state: 'accepted' } });
    await record(tx, 'team.join', invitation, userId);
    return { teamId };
  });
}

const isExpired = ({ expiresAt }: Pick<TeamInvitation, 'expiresAt'>): boolean => expiresAt.getTime() <= now();

const stateOf = (invitation: TeamInvitation): ReceivedInvitation['state'] =>
  invitation.state === 'open' && isExpired(invitation)
    ? 'expired'
    : (invitation.state as ReceivedInvitation['state']);

/** Named by its id, because the invited person may have no account yet. */
async function record(
  tx: Tx,
  what: string,
  { id, teamId, role }: Pick<TeamInvitation, 'id' | 'teamId' | 'role'>,
  actor: Actor,
): Promise<void> {
  await recordTeamAction(tx, { teamId, actor, what, subject: id, after: { role } });
}

async function countMail(teamId: string, mailbox: string): Promise<Refusal | null> {
  if ((await countAttempt('invitations', teamId, MAILS_OF_TEAM_PER_DAY, DAY_MS)) > 0)
    return refuse(`A team sends at most ${MAILS_OF_TEAM_PER_DAY} invitations in a day. Try again tomorrow`);
  if ((await countAttempt('invitations_to', mailbox, MAILS_TO_MAILBOX_PER_DAY, DAY_MS)) > 0)
    return refuse('This person received several invitations today. Try again tomorrow');
  return null;
}

/** Null if it is no longer open. */
export async function writeInvitationMail({ invitationId }: MailRefs['invitation']): Promise<Mail | null> {
  const invitation = await prisma().teamInvitation.findUnique({ where: { id: invitationId } });
  if (invitation === null || stateOf(invitation) !== 'open') return null;
  const inviter = await findInviter(invitation);
  return { to: invitation.email, ...(await writeInvitation(invitation.teamId, { ...invitation, inviter })) };
}
