'use server';

import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { operatorAction } from '@/app/_session/action';
import { putAlertAside } from '@/server/operator/handle-payments';

export const dismissAlert = operatorAction(
  z.object({ alertId: z.string().max(200), reason: z.string().max(600) }),
  async ({ email }, { alertId, reason }) => {
    await putAlertAside({ operator: email, alertId, reason });
    revalidatePath('/operator/payments');
    return { ok: true, message: 'Dismissed' };
  },
);
