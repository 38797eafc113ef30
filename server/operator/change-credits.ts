import { creditsToJson, formatCredits, type Microcredits, parseCredits } from '../base/credits';
import { inTransaction, type Tx } from '../base/db';
import { ApiError } from '../base/errors';
import { newId } from '../base/ids';
import { grantCredits, OUTSIDE_ANY_APP, openUserApp, takeCredits } from '../ledger';
import { openAppUser } from '../people/app-users';
import { type Operator, recordAction, requireReason } from './record';

/**
 * Credits given and taken by an operator: booked and recorded together, once per id. The reason stays
 * in the audit log; the user's history only says that the operator did it.
 */
const NOTES = { give: 'granted by the operator', take: 'taken by the operator' };

export type CreditChange = {
  operator: Operator;
  userId: string;
  /** Null for the pocket outside any app. */
  partnerId: string | null;
  credits: Microcredits;
  reason: string;
  /** Submitting the same change twice books it once. */
  changeId: string;
};

export async function giveCredits(change: CreditChange): Promise<{ transactionId: string }> {
  requireReason(change.reason);
  const note = NOTES.give;
  return inTransaction(async (tx) => {
    const partnerId = await openPocket(tx, change);
    const { userId, credits, changeId: grantId } = change;
    const { transactionId, repeated } = await grantCredits(tx, { userId, partnerId, credits, grantId, note });
    if (!repeated) await record(tx, 'credits.give', change, transactionId);
    return { transactionId };
  });
}

/**
 * Takes credits from a pocket. Refuses more than is free in it, so that running requests keep the credits
 * they may spend.
 */
export async function takeCreditsAway(change: CreditChange): Promise<{ transactionId: string }> {
  requireReason(change.reason);
  const note = NOTES.take;
  return inTransaction(async (tx) => {
    const partnerId = await openPocket(tx, change);
    const { userId, credits, changeId: takeId } = change;
    const taken = await takeCredits(tx, { userId, partnerId, credits, takeId, note });
    if (taken.transactionId === null) throw tooMuch(taken.free);
    if (!taken.repeated) await record(tx, 'credits.take', change, taken.transactionId);
    return { transactionId: taken.transactionId };
  });
}

function tooMuch(free: Microcredits): ApiError {
  return new ApiError('invalid_request', `At most ${formatCredits(free)} credits can be taken here now`, {
    param: 'credits',
  });
}

async function openPocket(tx: Tx, { userId, partnerId }: CreditChange): Promise<string> {
  if (partnerId !== null) await openAppUser(tx, { userId, partnerId });
  else await openUserApp(tx, { userId, partnerId: OUTSIDE_ANY_APP, appUserId: newId('au') });
  return partnerId ?? OUTSIDE_ANY_APP;
}

async function record(
  tx: Tx,
  what: 'credits.give' | 'credits.take',
  { operator, userId, partnerId, credits, reason }: CreditChange,
  transactionId: string,
): Promise<void> {
  const after = { credits: creditsToJson(credits), app: partnerId, transaction: transactionId };
  await recordAction(tx, { operator, what, subject: userId, reason, after });
}

/** More than any wallet should ever hold, and far below the maximum of BIGINT. */
const MAX_CREDITS = parseCredits('1000000000') as Microcredits;

/** Parses an amount as people write it. */
export function requireCreditAmount(text: string, param = 'credits'): Microcredits {
  const credits = parseCredits(text);
  if (credits === null || credits <= 0n || credits > MAX_CREDITS) {
    throw new ApiError(
      'invalid_request',
      `"${text}" is not an amount of credits: enter a number above 0 with at most six decimals`,
      { param },
    );
  }
  return credits;
}
