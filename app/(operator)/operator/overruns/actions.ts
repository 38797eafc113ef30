'use server';

import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { operatorAction } from '@/app/_session/action';
import { ApiError } from '@/server/base/errors';
import { changePartner } from '@/server/operator/change-partner';
import { findUserByRef } from '@/server/operator/find-user';
import { resumeUserAs } from '@/server/operator/overruns';

const subject = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('user'), userRef: z.string().max(500) }),
  z.object({ kind: z.literal('app'), partnerId: z.string().max(100) }),
]);
export type ResumeSubject = z.output<typeof subject>;

export const resume = operatorAction(
  z.object({ subject, reason: z.string().max(600) }),
  async ({ email: operator }, { subject: who, reason }) => {
    if (who.kind === 'app') {
      await changePartner({ operator, partnerId: who.partnerId, reason, change: { do: 'resume' } });
    } else {
      const user = await findUserByRef(who.userRef);
      if (user === null) throw new ApiError('not_found', 'This user no longer exists');
      await resumeUserAs(operator, user.id, reason);
    }
    revalidatePath('/operator/overruns');
    return { ok: true, message: 'Resumed' };
  },
);
