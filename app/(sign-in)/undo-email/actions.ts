'use server';

import { z } from 'zod';
import { openAction } from '@/app/_session/action';
import { undoEmailChange } from '@/server/people/change-email';

/** The signed token of a mailed link is the credential. */
export const undoMyEmailChange = openAction(z.object({ token: z.string().max(200) }), async ({ token }) =>
  (await undoEmailChange(token))
    ? { ok: true }
    : { ok: false, code: 'link_expired', message: 'This link has expired or was used. Contact the service.' },
);
