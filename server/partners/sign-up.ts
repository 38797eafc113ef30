import { prisma, type Tx } from '../db';
import { settings } from '../env';
import { ApiError } from '../errors';
import { createPartner, type Partner } from './partner';

/** How an app comes to be: its owner signs up, and where the setting says so an operator approves. */

const MAX_APPS_OF_OWNER = 20;

export type SignUp = { ownerEmail: string; name: string; rateBp: number; origins: string[] };

export async function signUpPartner(signUp: SignUp): Promise<Partner> {
  const { PARTNER_SIGNUP: mode } = settings();
  if (mode === 'closed') throw new ApiError('invalid_request', 'New apps are registered by the operator');
  const owned = await prisma().partner.count({ where: { ownerEmail: signUp.ownerEmail } });
  if (owned >= MAX_APPS_OF_OWNER) {
    throw new ApiError('invalid_request', `One owner may have ${MAX_APPS_OF_OWNER} apps`);
  }
  return createPartner({ ...signUp, isPending: mode === 'approval' });
}

/** Lets an app that waits begin. False when it does not wait. */
export async function approvePartner(partnerId: string, db: Tx = prisma()): Promise<boolean> {
  return decide(db, partnerId, { review: 'approved', disabledAt: null });
}

/** It stays disabled, and its owner sees why. False when it does not wait. */
export async function declinePartner(partnerId: string, db: Tx = prisma()): Promise<boolean> {
  return decide(db, partnerId, { review: 'declined' });
}

async function decide(
  db: Tx,
  partnerId: string,
  decision: { review: string; disabledAt?: null },
): Promise<boolean> {
  const { count } = await db.partner.updateMany({
    where: { id: partnerId, review: 'pending' },
    data: decision,
  });
  return count > 0;
}
