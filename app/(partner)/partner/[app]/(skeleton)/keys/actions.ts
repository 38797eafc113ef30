'use server';

import { z } from 'zod';
import { restrictKeysOfApp } from '@/server/keys/restrict';
import { rotatePublishableKey } from '@/server/partners/rotate-key';
import { ofApp, ownerAction } from '../../owner-action';

export const rotateKey = ownerAction(ofApp, async (app) => {
  await rotatePublishableKey(app.id);
  return { ok: true, message: 'New key created. The old one works for another 24 hours.' };
});

export const saveKeyNetworks = ownerAction(
  ofApp.extend({ networks: z.string().max(3_000) }),
  async (app, { networks }) => {
    await restrictKeysOfApp(app.id, networks);
    return { ok: true, message: 'Networks saved. They apply to the next request.' };
  },
);
