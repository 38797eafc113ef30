'use server';

import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { operatorAction } from '@/app/_session/action';
import { decideCorrections } from '@/server/operator/corrections';

const DECIDED = {
  approve: 'Approved: users get their credits within a minute',
  discard: 'Discarded',
} as const;

export const decide = operatorAction(
  z.object({
    batchId: z.string().max(100),
    decision: z.enum(['approve', 'discard']),
    reason: z.string().max(600),
  }),
  async ({ email: operator }, asked) => {
    await decideCorrections({ operator, ...asked });
    revalidatePath('/operator/corrections', 'layout');
    return { ok: true, message: DECIDED[asked.decision] };
  },
);
