'use server';

import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { sessionAction } from '@/app/_session/action';
import { saveTimeZone } from '@/server/people/time-zone';

export const saveMyTimeZone = sessionAction(
  z.object({ zone: z.string().max(64) }),
  async ({ userId }, { zone }) => {
    if (!(await saveTimeZone(userId, zone === '' ? null : zone)))
      return { ok: false, field: 'zone', message: 'Choose a time zone.' };
    revalidatePath('/account', 'layout');
    return { ok: true, message: 'Time zone saved' };
  },
  { harmless: 'only decides how pages show times' },
);
