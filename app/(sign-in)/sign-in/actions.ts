'use server';

import { z } from 'zod';
import { openAction } from '@/app/_session/action';
import { keepSession, readBrowser } from '@/app/_session/browser';
import { readLanguage } from '@/app/_session/language';
import { sendServiceCode, signInToService } from '@/server/people/sign-in-to-service';

const email = z.string().max(320);

export const sendCode = openAction(z.object({ email }), async (input) => {
  const { clientIp, browserCookie } = await readBrowser();
  const { challengeId, resendInSeconds } = await sendServiceCode({
    ...input,
    locale: await readLanguage(),
    clientIp,
    browserCookie,
  });
  return { ok: true, value: { challengeId, resendInSeconds } };
});

export const enterCode = openAction(
  z.object({ email, challengeId: z.string().max(64), code: z.string().max(20) }),
  async (input) => {
    await keepSession(
      await signInToService({ ...(await readBrowser()), ...input, language: await readLanguage() }),
    );
    return { ok: true };
  },
);
