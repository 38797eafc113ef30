import { z } from 'zod';
import { creditsToJson, type Microcredits } from '../base/credits';
import { minimumBalance, readSpendable, type Spendable } from '../ledger';
import type { Caller } from '../people/access/authenticate';
import { readRunKey } from '../people/keys/run-keys';

export const spendStatusSchema = z
  .enum(['ok', 'insufficient_credits', 'partner_not_permitted', 'partner_limit_reached', 'paused_for_review'])
  .meta({ description: '`ok`, or the error code that a request would receive now.' });

export const balanceSchema = z.object({
  balance: z.number().meta({ description: 'Credits this app can spend for this user now.' }),
  currency: z.literal('credits'),
  minimum_required: z
    .number()
    .meta({ description: 'Requests are refused while the balance is below this amount.' }),
  status: spendStatusSchema,
  key: z
    .object({
      key_id: z.string(),
      label: z.string().nullable(),
      credits: z.number().meta({ description: 'Its budget.' }),
      spent: z.number(),
      left: z.number().meta({
        description: 'What its budget, and those of the keys above it, leave next to running requests.',
      }),
      expires_at: z.iso.datetime().nullable(),
    })
    .optional()
    .meta({ description: 'Of a run key. `balance` is then at most `left`.' }),
});

type Balance = z.output<typeof balanceSchema>;

export async function readBalance(caller: Caller): Promise<Balance> {
  const spendable = await readSpendable(caller.userId, caller.partnerId);
  return writeBalance(spendable, minimumBalance(), await readRunKey(caller));
}

function writeBalance(
  { balance, status }: Spendable,
  minimum: Microcredits,
  key: Awaited<ReturnType<typeof readRunKey>> = null,
): Balance {
  return {
    balance: creditsToJson(key !== null && key.left < balance ? key.left : balance),
    currency: 'credits',
    minimum_required: creditsToJson(minimum),
    status: status === 'ok' && key?.left === 0n ? 'partner_limit_reached' : status,
    ...(key !== null && {
      key: {
        key_id: key.keyId,
        label: key.label,
        credits: creditsToJson(key.budget.credits ?? 0n),
        spent: creditsToJson(key.budget.spent),
        left: creditsToJson(key.left),
        expires_at: key.expiresAt?.toISOString() ?? null,
      },
    }),
  };
}
