'use server';

import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { operatorAction } from '@/app/_session/action';
import { creditAlert, dismissAlert } from '@/server/operator/handle-payments';

const ofAlert = z.object({ alertId: z.string().max(200), reason: z.string().max(600) });

export const dismiss = operatorAction(ofAlert, async ({ email }, { alertId, reason }) => {
  await dismissAlert({ operator: email, alertId, reason });
  revalidatePath('/operator/payments');
  return { ok: true, message: 'Dismissed' };
});

export const credit = operatorAction(ofAlert, async ({ email }, { alertId, reason }) => {
  await creditAlert({ operator: email, alertId, reason });
  revalidatePath('/operator/payments');
  return { ok: true, message: 'Credited' };
});
