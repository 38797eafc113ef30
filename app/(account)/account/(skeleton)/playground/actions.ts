'use server';

import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { sessionAction } from '@/app/_session/action';
import { newId } from '@/server/base/ids';
import { readTypedCredits } from '@/server/base/typed-limits';
import { setAllowance } from '@/server/payments/checkout/allowance';
import { mintPlaygroundKey, openPlayground, PLAYGROUND_ID } from '@/server/people/playground';

/** Lets the playground spend credits of the user, and returns its key. Without `credits`, its allowance stays. */
export const startPlayground = sessionAction(
  z.object({ credits: z.string().max(40).nullable() }),
  async ({ userId, sessionId }, { credits }) => {
    const allowance = credits === null ? null : readTypedCredits(credits);
    if (typeof allowance === 'string') return { ok: false, field: 'credits', message: allowance };
    if (!(await openPlayground(userId)))
      return { ok: false, message: 'The playground is currently disabled.' };
    if (allowance !== null)
      await setAllowance({ userId, partnerId: PLAYGROUND_ID, saveId: newId('req') }, allowance);
    const started = await mintPlaygroundKey(userId, sessionId);
    if (started === null)
      return { ok: false, message: 'You were signed out. Sign in again.', signedOut: true };
    revalidatePath('/account', 'layout');
    return { ok: true, value: started };
  },
);
