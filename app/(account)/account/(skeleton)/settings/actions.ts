'use server';

import { cookies } from 'next/headers';
import { z } from 'zod';
import { sessionAction } from '@/app/_session/action';
import { deleteAccount } from '@/server/people/delete-account';
import { SESSION_COOKIE, SESSION_COOKIE_OPTIONS } from '@/server/people/session-cookie';

/** Also requires the account's e-mail address, typed in full. */
export const deleteMyAccount = sessionAction(
  z.object({ email: z.string().max(320) }),
  async (session, { email }) => {
    if (email.trim().toLowerCase() !== session.email)
      return { ok: false, field: 'email', message: 'That is not the e-mail address of this account.' };
    await deleteAccount(session.userId);
    (await cookies()).set(SESSION_COOKIE, '', { ...SESSION_COOKIE_OPTIONS, maxAge: 0 });
    return { ok: true };
  },
);
