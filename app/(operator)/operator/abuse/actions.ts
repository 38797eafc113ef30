'use server';

import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { operatorAction } from '@/app/_session/action';
import { ApiError } from '@/server/base/errors';
import { openAccounts } from '@/server/operator/abuse';
import { allowPurchasesAs, blockPurchasesAs } from '@/server/operator/block-purchases';
import { findUserByRef } from '@/server/operator/find-user';

/** `accounts` names those that the page listed: no account that joined the group since. */
export const blockPurchases = operatorAction(
  z.object({ accounts: z.string().max(20_000), reason: z.string().max(600) }),
  async ({ email: operator }, { accounts, reason }) => {
    const blocked = await blockPurchasesAs({ operator, userIds: openAccounts(accounts), reason });
    revalidatePath('/operator', 'layout');
    return {
      ok: true,
      message: blocked === 1 ? 'Purchases blocked' : `Purchases of ${blocked} accounts blocked`,
    };
  },
);

export const allowPurchases = operatorAction(
  z.object({ userRef: z.string().max(500), reason: z.string().max(600) }),
  async ({ email: operator }, { userRef, reason }) => {
    const user = await findUserByRef(userRef);
    if (user === null) throw new ApiError('not_found', 'This user no longer exists');
    await allowPurchasesAs({ operator, userId: user.id, reason });
    revalidatePath('/operator', 'layout');
    return { ok: true, message: 'Purchases allowed' };
  },
);
