import { nowDate } from '@/server/base/clock';
import { wholeCredits } from '@/server/base/credits';
import { inTransaction, pool, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { createPartner } from '@/server/partners/partner';
import { newSealedSecret } from '@/server/partners/webhooks/signing-secret';
import { openAppUser } from '@/server/people/app-users';
import { mintUserKey } from '@/server/people/keys/mint';
import type { Present } from '@/server/people/presence';
import { openUser } from '@/server/people/users';
import { bookPaidSession } from '../../harness/purchases';

/** Creates users, their apps and their requests, as the account pages show them. */

export async function newUser(): Promise<string> {
  return inTransaction(async (tx) => (await openUser(tx, `${newId('usr').toLowerCase()}@example.com`)).id);
}

/** The user of a session that was just confirmed with a code. */
export const present = (userId: string): Present => ({
  userId,
  email: 'present@example.com',
  confirmedAt: nowDate(),
  confirmedBy: 'code',
});

/** Creates an app with a webhook endpoint and a key for the user. */
export async function joinApp(userId: string, name: string): Promise<{ partnerId: string; keyId: string }> {
  const { id: partnerId } = await createPartner({ name, rateBp: 2_500, origins: [] });
  await prisma().partner.update({
    where: { id: partnerId },
    data: { webhookUrl: 'https://hooks.example.com/', webhookSecret: newSealedSecret(partnerId) },
  });
  const { keyId } = await inTransaction(async (tx) => {
    await openAppUser(tx, { userId, partnerId });
    return mintUserKey(tx, { userId, partnerId, session: null });
  });
  return { partnerId, keyId };
}

export const buyIn = (userId: string, partnerId: string, credits: number) =>
  inTransaction((tx) =>
    bookPaidSession(tx, { userId, partnerId, credits: wholeCredits(credits), sessionId: newId('cks') }),
  );

export type PastRequest = {
  partnerId: string;
  at: string;
  model?: string;
  charge?: number;
  outputTokens?: number;
  priceVersion?: string;
};

/** Writes a settled request at a given time; the ledger itself books only the present. */
export async function recordRequest(
  userId: string,
  {
    partnerId,
    at,
    model = 'sandbox/story',
    charge = 1_250_000,
    outputTokens = 20,
    priceVersion = 'v1',
  }: PastRequest,
): Promise<string> {
  const requestId = newId('req');
  const cost = (charge * 4) / 5;
  await pool().query(
    `INSERT INTO ledger_transaction (user_id, id, partner_id, kind, key_id, model, provider, price_version, input_tokens,
       cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens, held, provider_cost,
       credits, balance_after, partner_share, estimated, cost_reported, rate_bp, outcome, created_at)
     VALUES ($1, 'txn_' || substr($2, 5), $3, 'usage', 'key_1', $4, 'sandbox', $5, 100, 0, 0, 0, $6, 0, $7, $8, $9, 0, $10,
       false, true, 2500, 'completed', $11)`,
    [
      userId,
      requestId,
      partnerId,
      model,
      priceVersion,
      outputTokens,
      charge * 2,
      cost,
      -charge,
      charge - cost,
      at,
    ],
  );
  return requestId;
}
