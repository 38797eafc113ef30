import { z } from 'zod';
import { creditsToJson, type Microcredits } from '../credits';
import type { Spendable } from '../ledger';

export const spendStatusSchema = z
  .enum(['ok', 'insufficient_credits', 'partner_not_permitted', 'partner_limit_reached'])
  .meta({ description: '`ok`, or the code of the 402 that a request would receive now.' });

export const balanceSchema = z.object({
  balance: z.number().meta({ description: 'Credits that this app can spend for this user now.' }),
  currency: z.literal('credits'),
  minimum_required: z.number().meta({ description: 'Below this balance requests are refused.' }),
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
