'use server';

import { z } from 'zod';
import { sessionAction } from '@/app/_session/action';
import { writeHandOver } from '@/server/payments/checkout/hand-over';

/** The token that brings this sign-in into the checkout that opened the window. */
export const signInToCheckout = sessionAction(
  z.object({ visitId: z.string().max(64) }),
  async (session, { visitId }) => ({ ok: true, value: writeHandOver(visitId, session) }),
  { harmless: 'signs in to an app, which can spend what it was allowed before and no more' },
);
