'use server';

import { z } from 'zod';
import { operatorAction } from '@/app/_session/action';
import { ApiError } from '@/server/base/errors';
import { findUserRef } from '@/server/operator/find-user';
import { isRequestId } from '@/server/reports/activity/user-receipt';

export const findUser = operatorAction(
  z.object({ name: z.string().max(300) }),
  async (_, { name }) => {
    const ref = await findUserRef(name);
    if (ref === null) {
      throw new ApiError('not_found', 'No user has this e-mail address or ID', { param: 'name' });
    }
    const page = `/operator/users/${ref}`;
    const request = name.trim();
    return { ok: true, value: { page: isRequestId(request) ? `${page}/requests/${request}` : page } };
  },
  { harmless: 'changes nothing' },
);
