'use server';

import { z } from 'zod';
import { openAction } from '@/app/_session/action';
import { stopByLink } from '@/server/people/stop-by-link';

/** The token of a mailed link is the credential. */
export const stopByMail = openAction(
  z.object({ token: z.string().max(240), scope: z.enum(['app', 'all']) }),
  async ({ token, scope }) =>
    (await stopByLink(token, scope))
      ? { ok: true }
      : {
          ok: false,
          code: 'link_expired',
          message: 'This link has expired. Sign in to your account to stop apps.',
        },
);
