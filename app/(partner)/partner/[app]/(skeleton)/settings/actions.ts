'use server';

import { z } from 'zod';
import { changeApp } from '@/server/partners/app-facts';
import { renamePartner } from '@/server/partners/rename';
import { memberAction, ofApp } from '../../member-action';

export const rename = memberAction(
  'develop',
  ofApp.extend({ name: z.string().max(200) }),
  async (app, { name }, { userId }) => {
    const asked = { app, actor: userId, what: 'app.rename' };
    const outcome = await changeApp(asked, (tx) => renamePartner(app, name, tx));
    return { ok: true, message: outcome === 'saved' ? 'Name saved' : 'The new name is waiting for approval' };
  },
);
