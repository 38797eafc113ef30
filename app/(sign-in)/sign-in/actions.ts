'use server';

import { cookies, headers } from 'next/headers';
import { z } from 'zod';
import { openAction } from '@/app/_session/action';
import { readClientIp } from '@/server/http/client-ip';
import { KNOWN_BROWSER_COOKIE, KNOWN_BROWSER_SECONDS } from '@/server/identity/known-browser';
import type { CodeBrowser } from '@/server/identity/login-codes';
import {
  SESSION_COOKIE,
  SESSION_COOKIE_OPTIONS,
  SESSION_COOKIE_SECONDS,
} from '@/server/identity/session-cookie';
import { sendServiceCode, signInToService } from '@/server/identity/sign-in-to-service';

const email = z.string().max(320);

export const sendCode = openAction(z.object({ email }), async (input) => {
  const { challengeId, resendInSeconds } = await sendServiceCode({
    email: input.email,
    ...(await readBrowser()),
  });
  return { ok: true, value: { challengeId, resendInSeconds } };
});

export const enterCode = openAction(
  z.object({ email, challengeId: z.string().max(64), code: z.string().max(20) }),
  async (input) => {
    const store = await cookies();
    const { token, browserCookie } = await signInToService({
      ...input,
      ...(await readBrowser()),
      userAgent: (await headers()).get('user-agent') ?? '',
      currentToken: store.get(SESSION_COOKIE)?.value ?? null,
    });
    store.set(SESSION_COOKIE, token, { ...SESSION_COOKIE_OPTIONS, maxAge: SESSION_COOKIE_SECONDS });
    store.set(KNOWN_BROWSER_COOKIE, browserCookie, {
      ...SESSION_COOKIE_OPTIONS,
      maxAge: KNOWN_BROWSER_SECONDS,
    });
    return { ok: true };
  },
);

async function readBrowser(): Promise<CodeBrowser> {
  return {
    clientIp: readClientIp({ headers: await headers() }),
    browserCookie: (await cookies()).get(KNOWN_BROWSER_COOKIE)?.value,
  };
}
