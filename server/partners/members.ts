import { inTransaction, prisma, type Tx } from '../base/db';
import { type Actor, recordTeamAction } from './audit-log';
import type { Role } from './rights';
import { sendTeamMail } from './team-mails';
import { findRole, lockTeam } from './teams';

/** The members of a team: changing their roles, removing them, leaving, handing over the ownership. */

export type Member = { email: string; role: Role; addedAt: Date };

/** Oldest first. */
export async function listMembers(teamId: string): Promise<Member[]> {
  const rows = await prisma().teamMember.findMany({
    where: { teamId },
    orderBy: [{ addedAt: 'asc' }, { email: 'asc' }],
  });
  return rows.map(({ email, role, addedAt }) => ({ email, role: role as Role, addedAt }));
}

/** The roles that an owner gives; ownership is handed over instead. */
export type GivenRole = Exclude<Role, 'owner'>;

type MemberChange = { teamId: string; actor: Actor; email: string };

/** False for the owner, and for someone who is not a member. */
export async function changeRole({ role, ...asked }: MemberChange & { role: GivenRole }): Promise<boolean> {
  const isChanged = await changeTeam(asked, async (tx, before) => {
    if (before === null || before === 'owner') return false;
    await setRole(tx, asked, role);
    await record(tx, 'team.role', asked, { before, after: role });
    return true;
  });
  if (isChanged) await sendTeamMail(asked.email, asked.teamId, { role });
  return isChanged;
}

/** Takes effect with the member's next request. False for the owner, and for someone who is not a member. */
export async function removeMember(asked: MemberChange): Promise<boolean> {
  const isRemoved = await changeTeam(asked, (tx, role) => endMembership(tx, 'team.remove', asked, role));
  if (isRemoved) await sendTeamMail(asked.email, asked.teamId, 'removed');
  return isRemoved;
}

/** False for the owner, who hands over first. */
export async function leaveTeam(asked: MemberChange): Promise<boolean> {
  return changeTeam(asked, (tx, role) => endMembership(tx, 'team.leave', asked, role));
}

/** The owner becomes a developer. False unless `from` is the owner and `email` another member. */
export async function handOver({ from, ...asked }: MemberChange & { from: string }): Promise<boolean> {
  const isHandedOver = await changeTeam(asked, async (tx, before) => {
    const isFromOwner = (await findRole(from, asked.teamId, tx)) === 'owner';
    if (!isFromOwner || before === null || before === 'owner') return false;
    // In this order: a team never has two owners.
    await setRole(tx, { ...asked, email: from }, 'developer');
    await setRole(tx, asked, 'owner');
    await record(tx, 'team.hand_over', asked, { before, after: 'owner' });
    return true;
  });
  if (isHandedOver) {
    await sendTeamMail(asked.email, asked.teamId, 'owner');
    await sendTeamMail(from, asked.teamId, 'handed_over');
  }
  return isHandedOver;
}

/**
 * For an account that is deleted: false for the owner of a team that manages apps. A team without apps that they
 * own ends, except for its log and its payouts.
 */
export async function leaveAllTeams(
  tx: Tx,
  { email, userId }: { email: string; userId: string },
): Promise<boolean> {
  const memberships = await tx.teamMember.findMany({ where: { email }, orderBy: { teamId: 'asc' } });
  for (const { teamId } of memberships) {
    await lockTeam(tx, teamId);
    const isWhole = (await findRole(email, teamId, tx)) === 'owner';
    if (isWhole && (await tx.partner.count({ where: { teamId } })) > 0) return false;
    await tx.teamMember.deleteMany({ where: { teamId, ...(!isWhole && { email }) } });
    if (isWhole) await tx.teamInvitation.deleteMany({ where: { teamId } });
    await recordTeamAction(tx, { teamId, actor: userId, what: 'team.leave', subject: userId });
  }
  await tx.teamInvitation.deleteMany({ where: { email } });
  return true;
}

/** For an account that changes its e-mail address. False if the new one is a member of one of the teams. */
export async function moveMemberships(
  tx: Tx,
  { from, to, userId }: { from: string; to: string; userId: string },
): Promise<boolean> {
  const memberships = await tx.teamMember.findMany({ where: { email: from }, orderBy: { teamId: 'asc' } });
  for (const { teamId } of memberships) {
    await lockTeam(tx, teamId);
    if ((await findRole(to, teamId, tx)) !== null) return false;
    await tx.teamMember.updateMany({ where: { teamId, email: from }, data: { email: to } });
    await recordTeamAction(tx, { teamId, actor: userId, what: 'team.email', subject: userId });
  }
  return true;
}

export async function renameTeam({
  teamId,
  actor,
  name,
}: Omit<MemberChange, 'email'> & { name: string }): Promise<void> {
  await inTransaction(async (tx) => {
    await lockTeam(tx, teamId);
    const { name: before } = await tx.team.findUniqueOrThrow({ where: { id: teamId } });
    await tx.team.update({ where: { id: teamId }, data: { name } });
    const names = { before: { name: before }, after: { name } };
    await recordTeamAction(tx, { teamId, actor, what: 'team.rename', ...names });
  });
}

async function changeTeam(
  { teamId, email }: MemberChange,
  work: (tx: Tx, role: Role | null) => Promise<boolean>,
): Promise<boolean> {
  return inTransaction(
    async (tx) => (await lockTeam(tx, teamId)) && work(tx, await findRole(email, teamId, tx)),
  );
}

async function endMembership(
  tx: Tx,
  what: 'team.remove' | 'team.leave',
  asked: MemberChange,
  role: Role | null,
): Promise<boolean> {
  if (role === null || role === 'owner') return false;
  await record(tx, what, asked, { before: role, after: null });
  await tx.teamMember.delete({ where: { teamId_email: { teamId: asked.teamId, email: asked.email } } });
  return true;
}

async function setRole(tx: Tx, { teamId, email }: MemberChange, role: Role): Promise<void> {
  await tx.teamMember.update({ where: { teamId_email: { teamId, email } }, data: { role } });
}

type RoleChange = { before: Role | null; after: Role | null };

async function record(
  tx: Tx,
  what: string,
  { teamId, actor, email }: MemberChange,
  { before, after }: RoleChange,
) {
  await recordTeamAction(tx, {
    teamId,
    actor,
    what,
    subject: await findUserId(tx, email),
    before: { role: before },
    after: { role: after },
  });
}

/** A member has an account, except for an owner whom the operator named. */
async function findUserId(tx: Tx, email: string): Promise<string | undefined> {
  return (await tx.user.findUnique({ where: { email } }))?.id;
}
