'use server';

import { z } from 'zod';
import { sessionAction } from '@/app/_session/action';
import { parsePercent } from '@/server/partners/rate';
import { signUpPartner } from '@/server/partners/sign-up';

const newApp = z.object({
  /** Null for the person's own team. */
  teamId: z.string().max(64).nullable(),
  name: z.string().max(200),
  percent: z.string().max(20),
  origin: z.string().max(300),
  /** The token of the program that proposed the app. */
  proposal: z.string().max(100).optional(),
});

export const createApp = sessionAction(
  newApp,
  async ({ email, userId }, { teamId, name, percent, origin, proposal }) => {
    const rateBp = parsePercent(percent);
    if (rateBp === null)
      return {
        ok: false,
        message: 'Enter a commission from 0 to 100% with at most two decimals',
        field: 'percent',
      };
    const origins = origin.trim() === '' ? [] : [origin];
    const partner = await signUpPartner({ email, userId, teamId, name, rateBp, origins, proposal });
    return { ok: true, message: `${partner.name} created`, value: { partnerId: partner.id } };
  },
);
