'use server';

import { z } from 'zod';
import { openAction } from '@/app/_session/action';
import { unsubscribeByLink } from '@/server/people/warnings/unsubscribe';

/** The token of a mailed link is the credential. */
export const unsubscribeByMail = openAction(z.object({ token: z.string().max(300) }), async ({ token }) =>
  (await unsubscribeByLink(token))
    ? { ok: true }
    : {
        ok: false,
        code: 'link_expired',
        message: 'This link does not work. Turn the e-mails off in your account.',
      },
);
