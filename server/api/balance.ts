import { z } from 'zod';
import { creditsToJson, type Microcredits } from '../base/credits';
import type { Spendable } from '../ledger';

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
});

export function writeBalance(
  { balance, status }: Spendable,
  minimum: Microcredits,
): z.output<typeof balanceSchema> {
  return {
    balance: creditsToJson(balance),
    currency: 'credits',
    minimum_required: creditsToJson(minimum),
    status,
  };
}
