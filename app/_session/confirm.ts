'use server';

import { z } from 'zod';
import type { ActionResult } from '@/app/_ui/action-result';
import type { Challenge } from '@/app/_ui/code-entry';
import { type PasskeyUse, readPasskeyUse } from '@/server/people/passkeys';
import * as presence from '@/server/people/presence';
import { sessionAction } from './action';
import { keepSession, readBrowser } from './browser';

type HowToConfirm = { passkey: PasskeyUse; challenge?: Challenge };

/** Sends a code, unless the user has a passkey and does not ask for one, or has to use the passkey. */
export const sendConfirmation = sessionAction(
  z.literal('code').optional(),
  async (session, wish): Promise<ActionResult<HowToConfirm>> => {
    const passkey = await readPasskeyUse(session);
    if (passkey === 'required' || (passkey === 'optional' && wish === undefined))
      return { ok: true, value: { passkey } };
    const { clientIp } = await readBrowser();
    const { challengeId, resendInSeconds } = await presence.sendConfirmationCode(session, clientIp);
    return { ok: true, value: { passkey, challenge: { id: challengeId, resendInSeconds } } };
  },
  { harmless: 'only the owner of the mailbox can read the code' },
);

export const confirmPresence = sessionAction(
  z.object({ challengeId: z.string().max(64), code: z.string().max(20) }),
  async (session, entry) => {
    const { clientIp } = await readBrowser();
    await keepSession(await presence.confirmPresence(session, { ...entry, clientIp }));
    return { ok: true };
  },
  { harmless: 'the code is the confirmation' },
);
