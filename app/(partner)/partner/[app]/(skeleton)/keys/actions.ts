'use server';

import { rotatePublishableKey } from '@/server/partners/rotate-key';
import { ofApp, ownerAction } from '../../owner-action';

export const rotateKey = ownerAction(ofApp, async (app) => {
  await rotatePublishableKey(app.id);
  return { ok: true, message: 'New key created. The old one works for another 24 hours.' };
});
