'use server';

import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { sessionAction, UNCONFIRMED } from '@/app/_session/action';
import type { ActionResult } from '@/app/_ui/action-result';
import { describeCredits, formatCredits } from '@/server/base/credits';
import { newId } from '@/server/base/ids';
import { readTypedCredits } from '@/server/base/typed-limits';
import * as allowance from '@/server/payments/checkout/allowance';
import { type AppOfUser, findAppOfUser } from '@/server/people/apps-of-user';
import { restrictKey } from '@/server/people/keys/restrict';
import { revokeKey } from '@/server/people/keys/revoke';
import { type RaiseRefusal, raiseRunKey } from '@/server/people/keys/run-keys-of-user';
import { isConfirmed } from '@/server/people/presence';

const ofApp = z.object({ partnerId: z.string().max(64) });
const NO_APP: ActionResult = { ok: false, message: 'There is no such app in your account.' };

export const saveAllowance = sessionAction(
  ofApp.extend({ credits: z.string().max(40) }),
  async (session, { partnerId, credits }) => {
    const { userId } = session;
    const app = await findAppOfUser(userId, partnerId);
    if (app === null) return NO_APP;
    if (app.isSuspended) return { ok: false, message: `${app.name} is currently disabled.` };
    const limit = readTypedCredits(credits);
    if (typeof limit === 'string') return refuseCredits(limit);
    const isPresent = await isConfirmed(session);
    const saved = await allowance.setConfirmedAllowance(saveOf(userId, app), limit, async () => isPresent);
    if (saved === null) return UNCONFIRMED;
    return done(`${app.name} may now spend ${formatCredits(limit)} of your other credits`);
  },
  { harmless: 'lowering an allowance; raising one asks for the confirmation itself' },
);

const ENDS_SPENDING = { harmless: 'only ends what an app can spend' };

export const removeAllowance = sessionAction(
  ofApp,
  async ({ userId }, { partnerId }) => {
    const app = await findAppOfUser(userId, partnerId);
    if (app === null) return NO_APP;
    await allowance.setAllowance(saveOf(userId, app), null);
    return done(`Allowance for ${app.name} removed`);
  },
  ENDS_SPENDING,
);

export const pauseAllowance = sessionAction(
  ofApp,
  async ({ userId }, { partnerId }) => {
    const app = await findAppOfUser(userId, partnerId);
    if (app === null) return NO_APP;
    const paused = await allowance.pauseAllowance(saveOf(userId, app));
    return paused === null
      ? { ok: false, message: 'This allowance has nothing left to pause.' }
      : done(`Allowance for ${app.name} paused`);
  },
  ENDS_SPENDING,
);

export const resumeAllowance = sessionAction(ofApp, async ({ userId }, { partnerId }) => {
  const app = await findAppOfUser(userId, partnerId);
  if (app === null) return NO_APP;
  if (app.isSuspended) return { ok: false, message: `${app.name} is currently disabled.` };
  const resumed = await allowance.resumeAllowance(saveOf(userId, app));
  return resumed === null
    ? { ok: false, message: 'This allowance is no longer paused.' }
    : done(`${app.name} may spend ${formatCredits(resumed.grantedCredits)} of your other credits again`);
});

export const revokeAppKey = sessionAction(
  z.object({ keyId: z.string().max(64) }),
  async ({ userId }, { keyId }) =>
    (await revokeKey(userId, keyId))
      ? done('Key revoked')
      : { ok: false, message: 'This key is no longer active.' },
  ENDS_SPENDING,
);

export const restrictAppKey = sessionAction(
  z.object({ keyId: z.string().max(64), origins: z.string().max(3_000), networks: z.string().max(3_000) }),
  async ({ userId }, { keyId, ...restrictions }) =>
    (await restrictKey(userId, keyId, restrictions))
      ? done('Restrictions saved. They apply to the next request.')
      : { ok: false, message: 'This key is no longer active.' },
);

export const raiseKeyBudget = sessionAction(
  z.object({ keyId: z.string().max(64), credits: z.string().max(40) }),
  async ({ userId }, { keyId, credits }) => {
    const budget = readTypedCredits(credits);
    if (typeof budget === 'string') return refuseCredits(budget);
    const refusal = await raiseRunKey(userId, keyId, budget);
    return refusal === null
      ? done(`This run key may now spend ${describeCredits(budget)} in all`)
      : explainRaise(refusal);
  },
);

function explainRaise(refusal: RaiseRefusal): ActionResult {
  switch (refusal.reason) {
    case 'not_live':
      return { ok: false, message: 'This run key is no longer active.' };
    case 'too_low':
      return refuseCredits(
        `Enter at least ${describeCredits(refusal.spent + refusal.held)}. This key has spent ${formatCredits(refusal.spent)}, and its running requests hold ${formatCredits(refusal.held)}.`,
      );
  }
}

const refuseCredits = (message: string): ActionResult => ({ ok: false, field: 'credits', message });

/** Each save gets its own id. */
const saveOf = (userId: string, { partnerId }: AppOfUser) => ({ userId, partnerId, saveId: newId('req') });

function done(message: string): ActionResult {
  revalidatePath('/account', 'layout');
  return { ok: true, message };
}
