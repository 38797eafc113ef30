'use server';

import { z } from 'zod';
import { renamePartner } from '@/server/partners/rename';
import { ofApp, ownerAction } from '../../owner-action';

export const rename = ownerAction(ofApp.extend({ name: z.string().max(200) }), async (app, { name }) => {
  const outcome = await renamePartner(app, name);
  return { ok: true, message: outcome === 'saved' ? 'Name saved' : 'The new name is waiting for approval' };
});
