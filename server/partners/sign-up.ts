import type { Prisma } from '../../prisma/client/client';
import { nowDate } from '../base/clock';
import { inTransaction, prisma, type Tx } from '../base/db';
import { settings } from '../base/env';
import { ApiError } from '../base/errors';
import { lockAccount } from '../base/lock-account';
import { recordTeamAction } from './audit-log';
import { createPartner, type Partner } from './partner';
import { hashProposal, requireUnused } from './proposals';
import { hasRight, writeRolesWith } from './rights';
import { findRole, lockTeam, openOwnTeam } from './teams';

/** Self-service sign-up of an app, with an operator's approval if the settings require it. */

const MAX_APPS_OF_TEAM = 20;
/** With deleted ones, which keep their names. */
const MAX_APPS_EVER = 100;

export type SignUp = {
  email: string;
  userId: string;
  /** Null for the person's own team, which is created if they have none. */
  teamId: string | null;
  name: string;
  rateBp: number;
  origins: string[];
  /** The token of the program that proposed it. */
  proposal?: string | undefined;
};

export async function signUpPartner(signUp: SignUp): Promise<Partner> {
  requireOpenSignUp();
  const { userId, name, rateBp, origins, proposal } = signUp;
  return inTransaction(async (tx) => {
    await lockAccount(tx, userId);
    const teamId = await requireTeam(tx, signUp);
    // The apps of one team are counted one at a time.
    await lockTeam(tx, teamId);
    if (
      (await tx.partner.count({ where: { teamId, OR: [{ closed: null }, { closed: 'paused' }] } })) >=
      MAX_APPS_OF_TEAM
    )
      throw new ApiError(
        'invalid_request',
        `A team has at most ${MAX_APPS_OF_TEAM} apps, and this one has them.`,
      );
    if ((await tx.partner.count({ where: { teamId } })) >= MAX_APPS_EVER)
      throw new ApiError(
        'invalid_request',
        `A team has at most ${MAX_APPS_EVER} apps with those that it deleted, and this one had them.`,
      );
    if (proposal !== undefined) await requireUnused(tx, proposal);
    const asked = {
      askedBy: { teamId },
      actor: userId,
      isPending: settings().PARTNER_SIGNUP === 'approval',
      ...(proposal !== undefined && { proposalHash: hashProposal(proposal) }),
    };
    const partner = await createPartner({ name, rateBp, origins, teamId, ...asked }, tx);
    const after = { name: partner.name, rate: rateBp / 100, origins };
    await recordTeamAction(tx, { teamId, partnerId: partner.id, actor: userId, what: 'app.create', after });
    return partner;
  });
}

export function requireOpenSignUp(): void {
  if (settings().PARTNER_SIGNUP === 'closed')
    throw new ApiError('invalid_request', 'Sign-up is closed. Ask the operator to register your app.');
}

async function requireTeam(tx: Tx, { email, teamId, name }: SignUp): Promise<string> {
  if (teamId === null) return openOwnTeam(tx, email, name);
  const role = await findRole(email, teamId, tx);
  if (role === null) throw new ApiError('not_found', 'There is no such team');
  if (!hasRight(role, 'develop'))
    throw new ApiError('invalid_request', `${writeRolesWith('develop')} can add an app to this team.`);
  return teamId;
}

/** Approves a pending app and its name, which cannot change until then. False when it is not pending. */
export async function approvePartner(partnerId: string, db: Tx = prisma()): Promise<boolean> {
  return decide(db, partnerId, { review: 'approved', disabledAt: null, nameApprovedAt: nowDate() });
}

/** Declines a pending app, which stays disabled and gives up its name. Returns false when it is not pending. */
export async function declinePartner(partnerId: string, db: Tx = prisma()): Promise<boolean> {
  return decide(db, partnerId, { review: 'declined', nameSkeleton: null });
}

async function decide(
  db: Tx,
  partnerId: string,
  decision: Prisma.PartnerUpdateManyMutationInput,
): Promise<boolean> {
  const { count } = await db.partner.updateMany({
    where: { id: partnerId, review: 'pending', closed: null },
    data: decision,
  });
  return count > 0;
}
