import type { Prisma } from '../../prisma/client/client';
import { nowDate } from '../clock';
import { inTransaction, prisma, type Tx } from '../db';
import { settings } from '../env';
import { ApiError } from '../errors';
import { createPartner, type Partner } from './partner';

/** Self-service sign-up of an app by its owner, with an operator's approval if the settings require it. */

const MAX_APPS_OF_OWNER = 20;
/** A namespace of PostgreSQL's advisory locks. */
const OWNER_LOCK = 3_704_304;

export type SignUp = { ownerEmail: string; name: string; rateBp: number; origins: string[] };

export async function signUpPartner(signUp: SignUp): Promise<Partner> {
  const { PARTNER_SIGNUP: mode } = settings();
  if (mode === 'closed')
    throw new ApiError('invalid_request', 'Sign-up is closed. Ask the operator to register your app.');
  const { ownerEmail } = signUp;
  return inTransaction(async (tx) => {
    // The apps of one owner are counted one at a time.
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${OWNER_LOCK}::int, hashtext(${ownerEmail}))`;
    const owned = await tx.partner.count({ where: { ownerEmail } });
    if (owned >= MAX_APPS_OF_OWNER)
      throw new ApiError('invalid_request', `You have reached the maximum of ${MAX_APPS_OF_OWNER} apps.`);
    return createPartner({ ...signUp, askedBy: { ownerEmail }, isPending: mode === 'approval' }, tx);
  });
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
    where: { id: partnerId, review: 'pending' },
    data: decision,
  });
  return count > 0;
}
