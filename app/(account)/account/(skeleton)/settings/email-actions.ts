'use server';

import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { sessionAction } from '@/app/_session/action';
import { keepSession, readBrowser } from '@/app/_session/browser';
import { changeEmail, sendEmailChangeCodes } from '@/server/people/change-email';

const id = z.string().max(64);
const code = z.string().max(20);
const email = z.string().max(320);

/** Sends a code to each of the two mailboxes. */
export const startEmailChange = sessionAction(z.object({ email }), async (session, { email: typed }) => {
  const { clientIp } = await readBrowser();
  return { ok: true, value: await sendEmailChangeCodes(session, { typed, clientIp }) };
});

export const finishEmailChange = sessionAction(
  z.object({ email, oldId: id, oldCode: code, newId: id, newCode: code }),
  async (session, entry) => {
    const { clientIp, browserCookie } = await readBrowser();
    await keepSession(await changeEmail(session, { ...entry, clientIp, browserCookie }));
    revalidatePath('/account', 'layout');
    return { ok: true, message: 'E-mail address changed' };
  },
);
