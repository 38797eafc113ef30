'use server';

import { z } from 'zod';
import { changeApp } from '@/server/partners/app-facts';
import { deleteApp, pauseApp, resumeApp, revokeKeysOfDeletedApp } from '@/server/partners/close-app';
import { MAX_LOGO_BYTES } from '@/server/partners/logo';
import { saveProfile } from '@/server/partners/profile';
import { askForApproval, renamePartner } from '@/server/partners/rename';
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

/** Base64 takes four characters for three bytes. */
const MAX_LOGO_CHARACTERS = Math.ceil(MAX_LOGO_BYTES / 3) * 4;

export const changeProfile = memberAction(
  'develop',
  ofApp.extend({
    site: z.string().max(500),
    support: z.string().max(500),
    /** Absent keeps it; null removes it. */
    logo: z
      .base64({ error: 'The logo must be at most 64 kB' })
      .max(MAX_LOGO_CHARACTERS, 'The logo must be at most 64 kB')
      .nullish(),
  }),
  async (app, { site, support, logo }, { userId }) => {
    const image = typeof logo === 'string' ? Buffer.from(logo, 'base64') : logo;
    const outcome = await changeApp({ app, actor: userId, what: 'app.profile' }, (tx) =>
      saveProfile(tx, app.id, { site, support, logo: image }),
    );
    return {
      ok: true,
      message: outcome === 'saved' ? 'Profile saved' : 'The new profile is waiting for approval',
    };
  },
);

export const askForReview = memberAction(
  'develop',
  ofApp,
  async (app, _, { userId }) => {
    await changeApp({ app, actor: userId, what: 'app.ask' }, (tx) => askForApproval(tx, app));
    return { ok: true, message: 'We will review the name of your app' };
  },
  { harmless: 'it changes nothing that users see' },
);

export const pauseOwnApp = memberAction('develop', ofApp, async (app, _, { userId }) => {
  await changeApp({ app, actor: userId, what: 'app.pause' }, (tx) => pauseApp(tx, app));
  return { ok: true, message: 'App paused' };
});

export const resumeOwnApp = memberAction('develop', ofApp, async (app, _, { userId }) => {
  await changeApp({ app, actor: userId, what: 'app.resume' }, (tx) => resumeApp(tx, app));
  return { ok: true, message: 'App resumed' };
});

export const deleteOwnApp = memberAction(
  'delete_app',
  ofApp.extend({ name: z.string().max(200) }),
  async (app, { name }, { userId }) => {
    await changeApp({ app, actor: userId, what: 'app.delete' }, (tx) => deleteApp(tx, app, name));
    await revokeKeysOfDeletedApp(app.id);
    return { ok: true, message: 'App deleted' };
  },
);
