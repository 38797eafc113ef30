'use server';

import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { operatorAction } from '@/app/_session/action';
import { dismissAlert } from '@/server/operator/handle-payments';

export const dismiss = operatorAction(
  z.object({ alertId: z.string().max(200), reason: z.string().max(600) }),
  async ({ email }, { alertId, reason }) => {
    await dismissAlert({ operator: email, alertId, reason });
    revalidatePath('/operator/payments');
    return { ok: true, message: 'Dismissed' };
  },
);
