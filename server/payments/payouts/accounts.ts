import type { PayoutAccount } from '../../../prisma/client/client';
import { DAY_MS, HOUR_MS, now, nowDate } from '../../base/clock';
import { inTransaction, prisma, type Tx } from '../../base/db';
import { ApiError } from '../../base/errors';
import { randomBase62 } from '../../base/ids';
import { describeError, log } from '../../base/log';
import { returnPayout } from '../../ledger';
import { lockTeam } from '../../partners/teams';
import { UNSENT } from './approve';
import { stripePayouts } from './stripe/processor';
import { PAYOUT_COUNTRIES } from './stripe/regions';

export { PAYOUT_COUNTRIES } from './stripe/regions';

/** A team's account at the payment processor. Its state there is read again whenever something may have changed. */

export async function readPayoutAccount(teamId: string): Promise<PayoutAccount | null> {
  return prisma().payoutAccount.findUnique({ where: { teamId } });
}

/** Where a member enters what the processor needs; creates the account the first time. */
export async function startOnboarding({
  teamId,
  country,
  email,
  returnUrl,
  refreshUrl,
}: {
  teamId: string;
  country: string;
  email: string;
  returnUrl: string;
  refreshUrl: string;
}): Promise<{ url: string }> {
  if (!PAYOUT_COUNTRIES.includes(country))
    throw new ApiError(
      'invalid_request',
      `Payout accounts are available in ${PAYOUT_COUNTRIES.join(', ')}. For any other country, ask the operator.`,
      { param: 'country' },
    );
  const open = async () => {
    const accountId = await openAccount(teamId, country, email);
    return stripePayouts.openOnboarding({ accountId, returnUrl, refreshUrl });
  };
  try {
    return await open();
  } catch (error) {
    // The account may have been closed without our knowledge.
    if ((await refreshAccount(teamId))?.state === 'closed') return open();
    throw error;
  }
}

/** The processor's page for an account that has been onboarded; null before that, or if it has been closed. */
export async function openDashboard(teamId: string): Promise<{ url: string } | null> {
  const account = await readPayoutAccount(teamId);
  if (!account?.processorAccountId || !['active', 'restricted'].includes(account.state)) return null;
  return stripePayouts.openDashboard(account.processorAccountId);
}

/**
 * The row comes first and fixes everything that the account is created with, so that members who ask at the same
 * time, or again after a crash, create one account.
 */
async function openAccount(teamId: string, country: string, email: string): Promise<string> {
  const row = await openRow(teamId, country, email);
  if (row.processorAccountId !== null) return row.processorAccountId;
  const { creationKey } = row;
  const { accountId } = await createAccount(row);
  const { count } = await prisma().payoutAccount.updateMany({
    where: { teamId, creationKey, processorAccountId: null },
    data: { processorAccountId: accountId },
  });
  // Another caller stored it, or began again with another country.
  return count === 1 ? accountId : openAccount(teamId, country, email);
}

const newCreationKey = (): string => `account_${randomBase62(22)}`;

/** A team begins again with a new account after the last one was closed, or with another country before its first use. */
async function openRow(teamId: string, country: string, email: string): Promise<PayoutAccount> {
  const creationKey = newCreationKey();
  await prisma().$executeRaw`
    INSERT INTO payout_account (team_id, creation_key, country, email, created_at)
    VALUES (${teamId}, ${creationKey}, ${country}, ${email}, ${nowDate()})
    ON CONFLICT (team_id) DO UPDATE SET
      creation_key = excluded.creation_key, processor_account_id = NULL, country = excluded.country,
      email = excluded.email, state = 'onboarding', due_fields = '{}', disabled_reason = NULL, checked_at = NULL,
      mailed_state = NULL, created_at = excluded.created_at
    WHERE payout_account.state = 'closed'
      OR payout_account.state = 'onboarding' AND payout_account.country <> excluded.country`;
  return prisma().payoutAccount.findUniqueOrThrow({ where: { teamId } });
}

async function createAccount(row: PayoutAccount): Promise<{ accountId: string }> {
  try {
    return await stripePayouts.createAccount(row);
  } catch (error) {
    log().error({ error: describeError(error) }, 'could not create a payout account');
    throw new ApiError(
      'payments_unavailable',
      'Payout accounts cannot be created now. Try again later, or ask the operator.',
      { cause: error },
    );
  }
}

const DISCONNECTED = 'The payout account was disconnected. Set up a new one, then request another payout';

/**
 * Ends the use of a team's account, so that the team can begin again with a new one. Payouts to it that are not on
 * their way fail. At the processor it remains, with its balance, the payee's. False if the team has no account;
 * `record` writes the team's audit log.
 */
export async function disconnectAccount(
  teamId: string,
  record: (tx: Tx, before: PayoutAccount) => Promise<void>,
): Promise<boolean> {
  return inTransaction(async (tx) => {
    // Payouts of the team are planned under the same lock.
    await lockTeam(tx, teamId);
    const account = await tx.payoutAccount.findUnique({ where: { teamId } });
    if (account?.processorAccountId == null) return false;
    const unsent = { teamId, method: 'stripe', state: { in: UNSENT } };
    for (const { id: payoutId } of await tx.payout.findMany({ where: unsent, select: { id: true } }))
      await returnPayout({ payoutId, from: UNSENT, to: 'failed', failure: DISCONNECTED }, tx);
    if ((await tx.payout.count({ where: { teamId, state: 'sending' } })) > 0)
      throw new ApiError(
        'invalid_request',
        'A payout is being sent to this account. Try again in a few minutes',
      );
    // With a new key: a caller who is still creating this account does not store it again.
    const closed = { state: 'closed', processorAccountId: null, creationKey: newCreationKey() };
    const data = { ...closed, dueFields: [], disabledReason: null, checkedAt: nowDate() };
    await tx.payoutAccount.update({ where: { teamId }, data });
    await record(tx, account);
    return true;
  });
}

/** Reads the account from the processor. Null if the team has none there. */
export async function refreshAccount(teamId: string): Promise<PayoutAccount | null> {
  const row = await readPayoutAccount(teamId);
  if (row?.processorAccountId == null) return row;
  const { processorAccountId } = row;
  const checkedAt = nowDate();
  const found = await stripePayouts.readAccount(processorAccountId);
  await prisma().payoutAccount.updateMany({
    // A reading that began earlier may be older.
    where: { teamId, processorAccountId, OR: [{ checkedAt: null }, { checkedAt: { lte: checkedAt } }] },
    data: {
      checkedAt,
      ...(found === null
        ? { state: 'closed', dueFields: [], disabledReason: null }
        : { state: found.state, dueFields: found.dueFields, disabledReason: found.disabledReason }),
    },
  });
  return readPayoutAccount(teamId);
}

const ACCOUNTS_PER_SWEEP = 20;
/** An account in use changes rarely, and events report that; one that is being set up does. */
const [RECHECK_ACTIVE_MS, RECHECK_OTHER_MS] = [DAY_MS, HOUR_MS];

/** What lost events would have reported. */
export async function sweepAccounts(): Promise<void> {
  const before = (ms: number) => ({ checkedAt: { lte: new Date(now() - ms) } });
  const due = await prisma().payoutAccount.findMany({
    where: {
      processorAccountId: { not: null },
      OR: [
        { checkedAt: null },
        { state: 'active', ...before(RECHECK_ACTIVE_MS) },
        { state: { in: ['onboarding', 'restricted'] }, ...before(RECHECK_OTHER_MS) },
      ],
    },
    orderBy: { checkedAt: { sort: 'asc', nulls: 'first' } },
    take: ACCOUNTS_PER_SWEEP,
  });
  for (const { teamId } of due) {
    await refreshAccount(teamId).catch((error: unknown) =>
      log().warn(
        { team_id: teamId, error: describeError(error) },
        'a payout account was not read, will be retried',
      ),
    );
  }
}
