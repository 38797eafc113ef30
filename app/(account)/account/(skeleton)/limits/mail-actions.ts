'use server';

import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { sessionAction } from '@/app/_session/action';
import { WARNING_KINDS } from '@/server/base/unsubscribe-link';
import { saveWarningChoice } from '@/server/people/warnings/choice';

export const saveMyMails = sessionAction(
  z.object({ kind: z.enum(WARNING_KINDS), isOn: z.boolean(), zone: z.string().max(64) }),
  async ({ userId }, choice) => {
    await saveWarningChoice(userId, choice);
    revalidatePath('/account/limits');
    return { ok: true, message: choice.isOn ? 'E-mails turned on' : 'E-mails turned off' };
  },
  { harmless: 'only decides about e-mails to the user' },
);
