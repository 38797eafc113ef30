'use server';

import { z } from 'zod';
import { renamePartner } from '@/server/partners/partner';
import { ofApp, ownerAction } from '../../owner-action';

export const rename = ownerAction(ofApp.extend({ name: z.string().max(200) }), async (app, { name }) => {
  await renamePartner(app.id, name);
  return { ok: true, message: 'Name saved' };
});
