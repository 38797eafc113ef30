'use server';

import { revalidatePath } from 'next/cache';
import { cookies } from 'next/headers';
import { z } from 'zod';
import { sessionAction } from '@/app/_session/action';
import { countOf } from '@/server/base/count-of';
import { logOutAllDevices, logOutDevice } from '@/server/people/devices';
import { SESSION_COOKIE, SESSION_COOKIE_OPTIONS } from '@/server/people/session-cookie';

const ENDS_ACCESS = { harmless: 'only ends access, which must be quick when a device is lost' };

/** Returns `gone` when the current device was signed out too. */
export const logOutOne = sessionAction(
  z.object({ sessionId: z.string().max(64) }),
  async (session, { sessionId }) => {
    if (!(await logOutDevice(session.userId, sessionId)))
      return { ok: false, message: 'This device is already signed out.' };
    const gone = sessionId === session.sessionId;
    if (gone) await forgetCookie();
    else revalidatePath('/account', 'layout');
    return { ok: true, message: 'Device signed out', value: { gone } };
  },
  ENDS_ACCESS,
);

export const logOutOthers = sessionAction(
  z.undefined(),
  async ({ userId, sessionId }) => {
    const count = await logOutAllDevices(userId, { except: sessionId });
    revalidatePath('/account', 'layout');
    return { ok: true, message: `${countOf(count, 'device')} signed out` };
  },
  ENDS_ACCESS,
);

export const logOutEverywhere = sessionAction(
  z.undefined(),
  async ({ userId }) => {
    await logOutAllDevices(userId);
    await forgetCookie();
    return { ok: true, value: { gone: true } };
  },
  ENDS_ACCESS,
);

async function forgetCookie(): Promise<void> {
  (await cookies()).set(SESSION_COOKIE, '', { ...SESSION_COOKIE_OPTIONS, maxAge: 0 });
}
