'use server';

import { cookies, headers } from 'next/headers';
import { z } from 'zod';
import { readClientIp } from '@/server/http/client-ip';
import * as presence from '@/server/identity/presence';
import {
  SESSION_COOKIE,
  SESSION_COOKIE_OPTIONS,
  SESSION_COOKIE_SECONDS,
} from '@/server/identity/session-cookie';
import { sessionAction } from './action';

export const sendConfirmation = sessionAction(
  z.undefined(),
  async (session) => {
    const clientIp = readClientIp({ headers: await headers() });
    const { challengeId, resendInSeconds } = await presence.sendConfirmationCode(session, clientIp);
    return { ok: true, value: { challengeId, resendInSeconds } };
  },
  { harmless: 'only the owner of the mailbox can read the code' },
);

export const confirmPresence = sessionAction(
  z.object({ challengeId: z.string().max(64), code: z.string().max(20) }),
  async (session, entry) => {
    const clientIp = readClientIp({ headers: await headers() });
    const { token } = await presence.confirmPresence(session, { ...entry, clientIp });
    const options = { ...SESSION_COOKIE_OPTIONS, maxAge: SESSION_COOKIE_SECONDS };
    (await cookies()).set(SESSION_COOKIE, token, options);
    return { ok: true };
  },
  { harmless: 'the code is the confirmation' },
);
