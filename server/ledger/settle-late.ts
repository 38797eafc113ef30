import type pg from 'pg';
import { type Charge, creditsToJson, type Microcredits } from '../base/credits';
import { inSlowTransaction } from '../base/db';
import { log } from '../base/log';
import type { Hold } from './admission';
import { LEASE_SECONDS, settleIn } from './batch';
import { approveProposal, closeProposal, openProposal, writeProposal } from './corrections';
import { type Loss, recordLoss, untilCommitted } from './losses';
import { noteBooked } from './note-booked';
import { type Metered, type Receipt, type SettlementRow, transactionIdOf } from './settlement';

/**
 * Books the charge of a request whose hold another instance settled, because this one was paused for longer than the
 * lease: a request that ran must not be free. The hold is made again from what the app can still spend, and what that
 * does not cover is an overrun. What the other instance has booked stays as it is; the rest is recorded as a loss, and
 * so is everything if the hold may not be made again. If that was more than the charge, the difference is returned.
 */
export async function settleLate(
  hold: Hold,
  metered: Required<Metered>,
  mayRemakeHold: boolean,
): Promise<SettlementRow | null> {
  const { userId, requestId } = hold;
  return untilCommitted(requestId, 'late settlement', () =>
    inSlowTransaction({ isolation: 'READ COMMITTED', timeout: '5s' }, async (client) => {
      await forgetSupposedLoss(client, hold);
      if (mayRemakeHold && (await remakeHold(client, hold))) {
        const settlement = { userId, requestId, ...metered };
        const row = await settleIn(client, settlement);
        if (row !== null) noteBooked(settlement, row);
        logLate(requestId, row?.amount ?? 0n, 0n);
        return row;
      }
      const booked = await findBooked(client, hold);
      const lost = metered.charge.providerCost - (booked?.cost ?? 0n);
      if (lost > 0n) await recordLoss(hold, lossOf(lost, metered.receipt), client);
      logLate(requestId, booked?.amount ?? 0n, lost);
      return booked;
    }),
  );
}

/** The other instance charged an estimate. A receipt never changes, so what it exceeds the charge by is a correction. */
export async function correctEstimate(
  { requestId, userId, partnerId }: Pick<Hold, 'requestId' | 'userId' | 'partnerId'>,
  due: Pick<Charge, 'charge' | 'providerCost'>,
): Promise<void> {
  await untilCommitted(requestId, 'correction', async () => {
    const batchId = await openProposal({
      source: 'receipt',
      basis: 'the usage that was known after another instance had settled the request',
      reason: 'The request was charged by an estimate before its usage was known.',
    });
    await writeProposal(batchId, [{ requestId, userId, partnerId, ...due }]);
    if (await closeProposal(batchId)) await approveProposal(batchId);
  });
}

/** The other instance recorded that this request might have been billed. Now its cost is known. */
async function forgetSupposedLoss(client: pg.PoolClient, { userId, requestId, kept }: Hold): Promise<void> {
  await client.query('SELECT FROM wallet WHERE user_id = $1 FOR UPDATE', [userId]);
  await client.query(
    `DELETE FROM provider_loss
     WHERE user_id = $1 AND request_id = ANY ($2) AND call = 0 AND reason = 'instance_died'`,
    [userId, [requestId, kept?.id ?? requestId]],
  );
}

async function remakeHold(client: pg.PoolClient, hold: Hold): Promise<boolean> {
  const { userId, requestId, partnerId, keyId, amount, rateBp, budgets = null } = hold;
  const { rows } = await client.query<{ amount: bigint | null }>(
    'SELECT ledger_remake_hold($1, $2, $3, $4, $5, $6, $7::interval, $8::text[]) AS amount',
    [userId, requestId, partnerId, keyId, amount, rateBp, `${LEASE_SECONDS} seconds`, budgets],
  );
  return rows[0]?.amount != null;
}

/** What the other instance has booked. */
async function findBooked(
  client: pg.PoolClient,
  { userId, requestId }: Hold,
): Promise<(SettlementRow & { cost: bigint }) | null> {
  const { rows } = await client.query<{ amount: bigint; balance: bigint; cost: bigint }>(
    `SELECT -credits AS amount, balance_after AS balance, provider_cost AS cost FROM ledger_transaction
     WHERE user_id = $1 AND id = $2`,
    [userId, transactionIdOf(requestId)],
  );
  const [row] = rows;
  return row === undefined ? null : { outcome: 'settled', pauses: null, kept: false, ...row };
}

const lossOf = (cost: bigint, { model, provider, estimated }: Receipt): Loss => ({
  call: 0,
  model,
  provider,
  isEstimated: estimated,
  reason: 'settled_late',
  cost: cost as Microcredits,
});

function logLate(requestId: string, charged: bigint, lost: bigint): void {
  log().warn(
    {
      request_id: requestId,
      charged_credits: creditsToJson(charged as Microcredits),
      lost_credits: creditsToJson(lost as Microcredits),
    },
    'another instance had settled this request, because this one was paused',
  );
}
