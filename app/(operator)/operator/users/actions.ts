'use server';

import { z } from 'zod';
import { operatorAction } from '@/app/_session/action';
import { ApiError } from '@/server/errors';
import { findUserRef } from '@/server/operator/find-user';

export const findUser = operatorAction(z.object({ email: z.string().max(300) }), async (_, { email }) => {
  const ref = await findUserRef(email);
  if (ref === null) {
    throw new ApiError('not_found', 'Nobody has signed in with exactly this address', { param: 'email' });
  }
  return { ok: true, value: { ref } };
});
