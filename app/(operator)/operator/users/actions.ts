'use server';

import { z } from 'zod';
import { operatorAction } from '@/app/_session/action';
import type { ActionResult } from '@/app/_ui/action-result';
import { ApiError } from '@/server/base/errors';
import { findUserRef } from '@/server/operator/find-user';
import { searchUsers } from '@/server/operator/list-users';
import { isRequestId } from '@/server/reports/activity/user-receipt';
import { toUserRow, type UserRow } from './user-row';

type Found = { page: string; ref: string } | { matches: UserRow[]; hasMore: boolean };

const MATCHES_SHOWN = 50;
const MIN_CHARACTERS = 3;

/** An exact match has a page; a part of an e-mail address or app user ID has a list. */
export const findUser = operatorAction(
  z.object({ name: z.string().max(300) }),
  async (_, { name }): Promise<ActionResult<Found>> => {
    const text = name.trim();
    if (text.length < MIN_CHARACTERS)
      throw new ApiError('invalid_request', `Enter at least ${MIN_CHARACTERS} characters`, { param: 'name' });
    const ref = await findUserRef(text);
    if (ref !== null) {
      const page = `/operator/users/${ref}`;
      return { ok: true, value: { ref, page: isRequestId(text) ? `${page}/requests/${text}` : page } };
    }
    const { users, hasMore } = await searchUsers(text, MATCHES_SHOWN);
    if (users.length === 0)
      throw new ApiError('not_found', 'No user has this e-mail address or ID', { param: 'name' });
    return { ok: true, value: { matches: users.map(toUserRow), hasMore } };
  },
  { harmless: 'changes nothing' },
);
