import { DAY_MS, MINUTE_MS, now, nowDate } from '../../base/clock';
import { prisma } from '../../base/db';
import { invariant } from '../../base/errors';
import { describeError, log } from '../../base/log';
import { type PayoutState, returnPayout } from '../../ledger';
import { refreshAccount } from './accounts';
import { stripePayouts } from './stripe/processor';

/**
 * Sends approved payouts to the accounts of their teams. Each step survives the death of the process: a claim lasts
 * as long as its lease, and an instance that continues looks for the transfer before asking for one.
 */

/** Longer than all repetitions of a call take. */
const LEASE_MS = 5 * MINUTE_MS;
const RETRY_BALANCE_MS = DAY_MS;
const PAYOUTS_PER_RUN = 100;
const MICROCREDITS_PER_CENT = 1_000_000n;

type Claimed = {
  id: string;
  teamId: string;
  amount: bigint;
  accountId: string | null;
  attempt: number;
  /** An earlier process may have sent it. */
  isContinued: boolean;
  isHeld: boolean;
};

export async function sendPayouts(): Promise<void> {
  for (let sent = 0; sent < PAYOUTS_PER_RUN; sent++) {
    const payout = await claim();
    if (payout === null) return;
    await send(payout).catch((error: unknown) =>
      log().warn(
        { payout_id: payout.id, error: describeError(error) },
        'a payout was not sent, will be retried',
      ),
    );
  }
}

/** The statement checks an operator's approval and pause. One that is on its way is also looked up while paused. */
async function claim(): Promise<Claimed | null> {
  const [claimed] = await prisma().$queryRaw<Claimed[]>`
    WITH due AS (
      SELECT o.id, o.state, o.held_at IS NOT NULL OR t.payouts_held_at IS NOT NULL AS is_held
      FROM payout o JOIN team t ON t.id = o.team_id
      WHERE o.method = 'stripe' AND o.state IN ('planned', 'sending', 'waiting_for_balance') AND (
        o.state = 'sending' AND o.lease_until <= ${nowDate()}
        OR o.approved_by IS NOT NULL AND o.held_at IS NULL AND t.payouts_held_at IS NULL
          AND (o.state = 'planned' OR o.state = 'waiting_for_balance' AND o.next_look_at <= ${nowDate()})
      )
      ORDER BY o.created_at, o.id LIMIT 1 FOR UPDATE OF o SKIP LOCKED
    )
    UPDATE payout SET state = 'sending', lease_until = ${new Date(now() + LEASE_MS)}, next_look_at = NULL,
      attempts = attempts + (due.state <> 'sending')::int
    FROM due WHERE payout.id = due.id
    RETURNING payout.id, team_id AS "teamId", amount, processor_account_id AS "accountId", attempts AS attempt,
      due.state = 'sending' AS "isContinued", due.is_held AS "isHeld"`;
  return claimed ?? null;
}

async function send({ id, teamId, amount, accountId, attempt, isContinued, isHeld }: Claimed): Promise<void> {
  invariant(accountId, 'a payout by the processor has an account');
  const destination = { payoutId: id, accountId };
  const known = isContinued || attempt > 1 ? await stripePayouts.findTransfer(destination) : null;
  if (known !== null) return noteSent(id, known);
  if (isHeld) return;
  const amountMinor = Number(amount / MICROCREDITS_PER_CENT);
  const outcome = await stripePayouts.transfer({ ...destination, amountMinor, attempt });
  switch (outcome.kind) {
    case 'sent':
      return noteSent(id, outcome.transferId);
    case 'waiting_for_balance':
      return noteWaiting(id);
    case 'refused':
      await returnPayout({ payoutId: id, from: [SENDING], to: 'failed', failure: outcome.failure });
      await refreshAccount(teamId);
  }
}

const SENDING: PayoutState = 'sending';

export async function noteSent(id: string, processorTransferId: string): Promise<void> {
  await prisma().payout.updateMany({
    where: { id, state: SENDING },
    data: {
      state: 'sent',
      processorTransferId,
      sentAt: nowDate(),
      leaseUntil: null,
      failure: null,
    },
  });
}

async function noteWaiting(id: string): Promise<void> {
  const { count } = await prisma().payout.updateMany({
    where: { id, state: SENDING },
    data: {
      state: 'waiting_for_balance',
      leaseUntil: null,
      nextLookAt: new Date(now() + RETRY_BALANCE_MS),
      failure: 'The operator’s balance at Stripe does not cover this payout yet. We try again every day.',
    },
  });
  if (count === 1)
    log().warn({ payout_id: id }, 'a payout waits for balance at Stripe: top it up, or pay out less often');
}
