import { nowDate } from '../base/clock';
import { inTransaction, prisma, type Tx } from '../base/db';
import { newId } from '../base/ids';
import type { Partner } from './partner';
import type { Role } from './rights';

/** Teams and who belongs to them. Members are identified by normalised e-mail address, like accounts. */

/** An app that a team manages. */
export type AppOfTeam = Partner & { teamId: string };

export type Membership = { partner: AppOfTeam; role: Role };

/** Null for an app of a team that this person does not belong to, or of none. */
export async function findMembership(email: string, partnerId: string): Promise<Membership | null> {
  const partner = await prisma().partner.findFirst({
    where: { id: partnerId, team: { members: { some: { email } } } },
  });
  const teamId = partner?.teamId;
  if (!teamId) return null;
  const role = await findRole(email, teamId);
  return role === null ? null : { partner: { ...partner, teamId }, role };
}

export async function findRole(email: string, teamId: string, db: Tx = prisma()): Promise<Role | null> {
  const member = await db.teamMember.findUnique({ where: { teamId_email: { teamId, email } } });
  return member && (member.role as Role);
}

export type TeamOfMember = { teamId: string; name: string; role: Role; apps: Partner[] };

/** The teams that this person belongs to, and their apps, oldest first. */
export async function listTeams(email: string): Promise<TeamOfMember[]> {
  const oldestFirst = [{ createdAt: 'asc' as const }, { id: 'asc' as const }];
  const teams = await prisma().team.findMany({
    where: { members: { some: { email } } },
    include: { members: { where: { email } }, partners: { orderBy: oldestFirst } },
    orderBy: oldestFirst,
  });
  return teams.map(({ id, name, members, partners }) => ({
    teamId: id,
    name,
    role: (members[0]?.role ?? 'viewer') as Role,
    apps: partners,
  }));
}

export function newestAppOf(teams: TeamOfMember[]): Partner | undefined {
  return teams
    .flatMap(({ apps }) => apps)
    .reduce<Partner | undefined>(
      (newest, app) => (newest && newest.createdAt > app.createdAt ? newest : app),
      undefined,
    );
}

/** A namespace of PostgreSQL's advisory locks. */
const OWNER_LOCK = 3_704_304;

/** The oldest team that this person owns, or a new one, named after its first app. */
export async function openOwnTeam(tx: Tx, email: string, name: string): Promise<string> {
  // Teams of one owner are created one at a time.
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${OWNER_LOCK}::int, hashtext(${email}))`;
  const owned = await tx.teamMember.findFirst({
    where: { email, role: 'owner' },
    orderBy: [{ team: { createdAt: 'asc' } }, { teamId: 'asc' }],
  });
  if (owned !== null) {
    // Until the app is in it, the team neither ends with its owner's account nor gets another owner.
    await lockTeam(tx, owned.teamId);
    const isOwner = (await findRole(email, owned.teamId, tx)) === 'owner';
    return isOwner ? owned.teamId : openOwnTeam(tx, email, name);
  }
  const at = nowDate();
  const members = { create: { email, role: 'owner', addedAt: at } };
  return (await tx.team.create({ data: { id: newId('tm'), name, createdAt: at, members } })).id;
}

/** Changes of a team's members and of the number of its apps are made one at a time. False if there is no such team. */
export async function lockTeam(tx: Tx, teamId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`SELECT 1 FROM team WHERE id = ${teamId} FOR NO KEY UPDATE`;
  return rows.length > 0;
}

/** Moves the app, with what it earned and was not paid yet, to the team that this person owns. */
export async function moveToOwner(partnerId: string, email: string, tx?: Tx): Promise<void> {
  if (tx === undefined) return inTransaction((own) => moveToOwner(partnerId, email, own));
  const { name } = await tx.partner.findUniqueOrThrow({ where: { id: partnerId } });
  const teamId = await openOwnTeam(tx, email, name);
  await tx.partner.update({ where: { id: partnerId }, data: { teamId } });
}

/** The owners' e-mail addresses by team, for operators. */
export async function listOwners(): Promise<Map<string, string>> {
  const owners = await prisma().teamMember.findMany({ where: { role: 'owner' } });
  return new Map(owners.map(({ teamId, email }) => [teamId, email]));
}

/** Null if only the operator manages the app. */
export async function findOwner({ teamId }: Partner, db: Tx = prisma()): Promise<string | null> {
  if (teamId === null) return null;
  return (await db.teamMember.findFirst({ where: { teamId, role: 'owner' } }))?.email ?? null;
}
