'use server';

import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { sessionAction } from '@/app/_session/action';
import { removeIdentity } from '@/server/people/identities';

export const removeMyIdentity = sessionAction(
  z.object({ identityId: z.string().max(64) }),
  async (session, { identityId }) => {
    if (!(await removeIdentity(session, identityId)))
      return { ok: false, message: 'This sign-in was already removed.' };
    revalidatePath('/account/settings');
    return { ok: true, message: 'Sign-in removed' };
  },
);
