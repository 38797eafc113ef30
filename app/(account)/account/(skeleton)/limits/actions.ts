'use server';

import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { sessionAction } from '@/app/_session/action';
import type { ActionResult } from '@/app/_ui/action-result';
import { typedWeeklyLimits } from '@/server/base/typed-limits';
import { resumeApps, saveUserLimits, stopApps } from '@/server/people/user-limits';

/** `''` for all apps. */
const of = z.object({ partnerId: z.string().max(64) });

export const saveMyLimits = sessionAction(
  of.extend({ zone: z.string().max(64), ...typedWeeklyLimits }),
  async ({ userId }, { partnerId, ...typed }) => {
    const refusal = await saveUserLimits(userId, partnerId, typed);
    return refusal === null
      ? done('Limits saved. They apply to the next request.')
      : { ok: false, ...refusal };
  },
);

export const stopMyApps = sessionAction(
  of,
  async ({ userId }, { partnerId }) => {
    const isStopped = await stopApps({ userId, partnerId });
    return isStopped ? done('Stopped') : { ok: false, message: 'There was nothing to stop.' };
  },
  { harmless: 'only ends what apps can spend' },
);

export const resumeMyApps = sessionAction(of, async ({ userId }, { partnerId }) => {
  const isResumed = await resumeApps({ userId, partnerId });
  return isResumed ? done('Resumed') : { ok: false, message: 'There was nothing to resume.' };
});

function done(message: string): ActionResult {
  revalidatePath('/account', 'layout');
  return { ok: true, message };
}
