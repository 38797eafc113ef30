'use server';

import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { sessionAction } from '@/app/_session/action';
import type { ActionResult } from '@/app/_ui/action-result';
import { CURRENCIES } from '@/server/payments/checkout/amounts';
import { turnOffAutoTopUp } from '@/server/payments/checkout/top-up/auto-top-up';
import { saveLowBalanceMail } from '@/server/payments/checkout/top-up/low-balance';
import { turnOnAutoTopUp } from '@/server/payments/checkout/top-up/turn-on';

/** Returns the URL of the bank if it wants the user to allow charges while they are absent. */
export const saveAutoTopUp = sessionAction(
  z.object({
    threshold: z.number(),
    currency: z.enum(CURRENCIES),
    amountMinor: z.number(),
    ceilingMinor: z.number(),
    cardId: z.string().max(100),
    consent: z.string().max(1_000),
  }),
  async ({ userId, sessionId }, request): Promise<ActionResult<{ bankUrl: string }>> => {
    const result = await turnOnAutoTopUp({ userId, sessionId }, request);
    if (result.kind === 'refused') return { ok: false, field: result.field, message: result.message };
    revalidatePath('/account', 'layout');
    if (result.kind === 'needs_action') return { ok: true, value: { bankUrl: result.url } };
    return { ok: true, message: 'Auto top-up is on' };
  },
);

export const endAutoTopUp = sessionAction(
  z.undefined(),
  async ({ userId }) => {
    await turnOffAutoTopUp(userId);
    return done('Auto top-up is off');
  },
  { harmless: 'only ends automatic payments' },
);

export const saveLowBalance = sessionAction(
  z.object({ credits: z.number().int().min(1).max(1_000_000).nullable() }),
  async ({ userId }, { credits }) => {
    await saveLowBalanceMail(userId, credits);
    return done(credits === null ? 'Low-balance e-mail turned off' : 'Low-balance e-mail saved');
  },
  { harmless: 'only decides about an e-mail to the user' },
);

function done(message: string): ActionResult {
  revalidatePath('/account/payment');
  return { ok: true, message };
}
