'use server';

import { z } from 'zod';
import { askForPasskey, signInWithPasskey } from '@/server/people/sign-in-with-passkey';
import { openAction } from './action';
import { keepSession, readBrowser } from './browser';
import { usedPasskey } from './passkey-response';
import { findSession } from './session';

/** What the browser needs to sign in with a passkey, or to confirm with one of the signed-in user's. */
export const askBrowserForPasskey = openAction(z.undefined(), async () => ({
  ok: true,
  value: await askForPasskey(await findSession()),
}));

export const enterPasskey = openAction(z.object({ response: usedPasskey }), async (input) => {
  await keepSession(await signInWithPasskey({ ...(await readBrowser()), ...input }));
  return { ok: true };
});
