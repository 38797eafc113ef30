'use server';

import { z } from 'zod';
import { openAction } from '@/app/_session/action';
import { revokeByLink } from '@/server/people/revoke-by-link';

/** The signed token of a mailed link is the credential. */
export const revokeLinkedKey = openAction(z.object({ token: z.string().max(200) }), async ({ token }) =>
  (await revokeByLink(token))
    ? { ok: true }
    : {
        ok: false,
        code: 'link_expired',
        message: 'This link has expired. Sign in to your account to revoke the key.',
      },
);
