'use server';

import { cookies } from 'next/headers';
import { z } from 'zod';
import { SESSION_COOKIE, SESSION_COOKIE_OPTIONS } from '@/server/people/session-cookie';
import { signOutOfService } from '@/server/people/sign-in-to-service';
import { openAction } from './action';

/** Signs out this device: ends its session and revokes the keys that apps got on it. */
export const signOut = openAction(z.undefined(), async () => {
  const store = await cookies();
  const token = store.get(SESSION_COOKIE)?.value;
  if (token) await signOutOfService(token);
  store.set(SESSION_COOKIE, '', { ...SESSION_COOKIE_OPTIONS, maxAge: 0 });
  return { ok: true };
});
