'use server';

import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { operatorAction } from '@/app/_session/action';
import { microcredits, parseCredits } from '@/server/base/credits';
import { ApiError } from '@/server/base/errors';
import {
  changePayout,
  changeTeamPayouts,
  planAgain,
  reversePayout,
  viewDestination,
} from '@/server/operator/change-payouts';
import { readPayment } from '@/server/payments/payouts/record-manual';

const ofPayout = z.object({ payoutId: z.string().max(100), reason: z.string().max(600) });
const ofTeam = z.object({ teamId: z.string().max(100), reason: z.string().max(600) });
const text = z.string().max(200);

const DECIDED = {
  hold: 'Paused',
  release: 'Resumed',
  send_now: 'It is sent within a minute',
  returned: 'Recorded as returned',
  failed: 'Recorded as failed',
} as const;

const PAGES = '/operator/payouts';

export const approvePayout = operatorAction(
  ofPayout.extend({ payeeSavedAt: text.nullable() }),
  async ({ email: operator }, { payoutId, reason, payeeSavedAt }) => {
    await changePayout({ operator, payoutId, reason, change: { do: 'approve', payeeSavedAt } });
    revalidatePath(PAGES, 'layout');
    return { ok: true, message: 'Approved' };
  },
);

export const decidePayout = operatorAction(
  ofPayout.extend({ what: z.enum(['hold', 'release', 'send_now', 'returned', 'failed']) }),
  async ({ email: operator }, { payoutId, reason, what }) => {
    await changePayout({ operator, payoutId, reason, change: { do: what } });
    revalidatePath(PAGES, 'layout');
    return { ok: true, message: DECIDED[what] };
  },
);

export const recordPayment = operatorAction(
  ofPayout.extend({ reference: text, currency: text, amount: text, rate: text, date: text }),
  async ({ email: operator }, { payoutId, reason, ...entry }) => {
    const payment = readPayment(entry);
    await changePayout({ operator, payoutId, reason, change: { do: 'sent', payment } });
    revalidatePath(PAGES, 'layout');
    return { ok: true, message: 'Recorded as sent' };
  },
);

export const reverse = operatorAction(ofPayout, async ({ email: operator }, asked) => {
  await reversePayout({ operator, ...asked });
  revalidatePath(PAGES, 'layout');
  return { ok: true, message: 'Reversed' };
});

export const showDestination = operatorAction(
  ofPayout.pick({ payoutId: true }),
  async ({ email: operator }, { payoutId }) => ({
    ok: true,
    value: { destination: await viewDestination(operator, payoutId) },
  }),
);

export const planPayoutAgain = operatorAction(ofTeam, async ({ email: operator }, { teamId, reason }) => {
  await planAgain({ operator, teamId, reason });
  revalidatePath(PAGES, 'layout');
  return { ok: true, message: 'Planned' };
});

export const decideTeam = operatorAction(
  ofTeam.extend({ what: z.enum(['hold', 'release']) }),
  async ({ email: operator }, { teamId, reason, what }) => {
    await changeTeamPayouts({ operator, teamId, reason, change: { do: what } });
    revalidatePath(PAGES, 'layout');
    return { ok: true, message: DECIDED[what] };
  },
);

export const saveTerms = operatorAction(
  ofTeam.extend({ minimum: text, reserve: text }),
  async ({ email: operator }, { teamId, reason, minimum, reserve }) => {
    const terms = {
      minimum: minimum.trim() === '' ? null : readDollars(minimum, 'minimum'),
      reserve: readDollars(reserve, 'reserve'),
    };
    await changeTeamPayouts({ operator, teamId, reason, change: { do: 'terms', terms } });
    revalidatePath(PAGES, 'layout');
    return { ok: true, message: 'Terms saved' };
  },
);

const CREDITS_PER_DOLLAR = 100n;

function readDollars(given: string, param: string) {
  const dollars = /^\d{1,7}(\.\d{1,2})?$/.test(given.trim()) ? parseCredits(given) : null;
  if (dollars === null)
    throw new ApiError('invalid_request', 'Enter an amount in USD with at most two decimals', { param });
  return microcredits(dollars * CREDITS_PER_DOLLAR);
}
