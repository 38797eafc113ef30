'use server';

import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { sessionAction } from '@/app/_session/action';
import { settings } from '@/server/base/env';
import { removeSavedCard, startCardSetup } from '@/server/payments/checkout/saved-cards';

const id = z.string().max(64);

/** Returns the URL of the processor's page on which the card is entered. */
export const addCard = sessionAction(
  z.object({ buttonId: id }),
  async ({ userId }, { buttonId }) => ({
    ok: true,
    value: await startCardSetup(userId, { returnUrl: `${settings().BASE_URL}/account/payment`, buttonId }),
  }),
  { harmless: 'the user enters the card on the processor’s page' },
);

export const removeCard = sessionAction(z.object({ cardId: id }), async ({ userId }, { cardId }) => {
  if (!(await removeSavedCard(userId, cardId)))
    return { ok: false, message: 'This card was already removed.' };
  revalidatePath('/account', 'layout');
  return { ok: true, message: 'Card removed' };
});
