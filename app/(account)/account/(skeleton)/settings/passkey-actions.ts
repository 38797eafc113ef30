'use server';

import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { sessionAction } from '@/app/_session/action';
import { createdPasskey } from '@/app/_session/passkey-response';
import { addPasskey, beginPasskey } from '@/server/people/add-passkey';
import { removePasskey } from '@/server/people/passkeys';

const MAX_NAME_CHARACTERS = 60;

/** What the browser needs to create a passkey. */
export const beginNewPasskey = sessionAction(z.undefined(), async (session) => ({
  ok: true,
  value: await beginPasskey(session),
}));

export const addMyPasskey = sessionAction(
  z.object({ name: z.string().max(200), response: createdPasskey }),
  async (session, { name: typed, response }) => {
    const name = typed.trim().slice(0, MAX_NAME_CHARACTERS) || 'Passkey';
    await addPasskey(session, { name, response });
    revalidatePath('/account/settings');
    return { ok: true, message: 'Passkey added' };
  },
);

export const removeMyPasskey = sessionAction(
  z.object({ passkeyId: z.string().max(64) }),
  async (session, { passkeyId }) => {
    if (!(await removePasskey(session, passkeyId)))
      return { ok: false, message: 'This passkey was already removed.' };
    revalidatePath('/account/settings');
    return { ok: true, message: 'Passkey removed' };
  },
);
