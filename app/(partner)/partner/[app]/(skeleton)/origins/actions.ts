'use server';

import { z } from 'zod';
import * as partners from '@/server/partners/partner';
import * as redirects from '@/server/partners/redirects';
import { ofApp, ownerAction } from '../../owner-action';

const originOfApp = ofApp.extend({ origin: z.string().max(300) });

export const addOrigin = ownerAction(originOfApp, async (app, { origin }) => {
  await partners.addOwnOrigin(app, origin);
  return { ok: true, message: 'Origin added. It works immediately.' };
});

export const removeOrigin = ownerAction(originOfApp, async (app, { origin }) => {
  await partners.removeOrigin(app.id, origin);
  return { ok: true, message: 'Origin removed' };
});

const redirectOfApp = ofApp.extend({ uri: z.string().max(2_100) });

export const addRedirect = ownerAction(redirectOfApp, async (app, { uri }) => {
  await redirects.addRedirect(app.id, uri);
  return { ok: true, message: 'Redirect address added. It works immediately.' };
});

export const removeRedirect = ownerAction(redirectOfApp, async (app, { uri }) => {
  await redirects.removeRedirect(app.id, uri);
  return { ok: true, message: 'Redirect address removed' };
});
