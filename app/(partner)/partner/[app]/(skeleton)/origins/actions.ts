'use server';

import { z } from 'zod';
import * as partners from '@/server/partners/partner';
import { ofApp, ownerAction } from '../../owner-action';

const originOfApp = ofApp.extend({ origin: z.string().max(300) });

export const addOrigin = ownerAction(originOfApp, async (app, { origin }) => {
  await partners.addOrigin(app.id, origin);
  return { ok: true, message: 'Origin added. It works immediately.' };
});

export const removeOrigin = ownerAction(originOfApp, async (app, { origin }) => {
  await partners.removeOrigin(app.id, origin);
  return { ok: true, message: 'Origin removed' };
});
