'use server';

import { z } from 'zod';
import { changeApp } from '@/server/partners/app-facts';
import { rotatePublishableKey } from '@/server/partners/rotate-key';
import { restrictKeysOfApp } from '@/server/people/keys/restrict';
import { memberAction, ofApp } from '../../member-action';

export const rotateKey = memberAction('develop', ofApp, async (app, _, { userId }) => {
  await changeApp({ app, actor: userId, what: 'app.key' }, (tx) => rotatePublishableKey(app.id, userId, tx));
  return { ok: true, message: 'New key created. The old one works for another 24 hours.' };
});

export const saveKeyNetworks = memberAction(
  'develop',
  ofApp.extend({ networks: z.string().max(3_000) }),
  async (app, { networks }, { userId }) => {
    const asked = { app, actor: userId, what: 'app.key_networks' };
    await changeApp(asked, (tx) => restrictKeysOfApp(app.id, networks, tx));
    return { ok: true, message: 'Networks saved. They apply to the next request.' };
  },
);
