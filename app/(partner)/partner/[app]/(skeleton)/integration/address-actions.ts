'use server';

import { z } from 'zod';
import { changeApp } from '@/server/partners/app-facts';
import * as partners from '@/server/partners/partner';
import * as redirects from '@/server/partners/redirects';
import { memberAction, ofApp } from '../../member-action';

const originOfApp = ofApp.extend({ origin: z.string().max(300) });

export const addOrigin = memberAction('develop', originOfApp, async (app, { origin }, { userId: actor }) => {
  await changeApp({ app, actor, what: 'app.origin_add' }, (tx) =>
    partners.addOwnOrigin(app, origin, actor, tx),
  );
  return { ok: true, message: 'Origin added. It works immediately.' };
});

export const removeOrigin = memberAction(
  'develop',
  originOfApp,
  async (app, { origin }, { userId: actor }) => {
    await changeApp({ app, actor, what: 'app.origin_remove' }, (tx) =>
      partners.removeOrigin(app.id, origin, tx),
    );
    return { ok: true, message: 'Origin removed' };
  },
);

const redirectOfApp = ofApp.extend({ uri: z.string().max(2_100) });

export const addRedirect = memberAction('develop', redirectOfApp, async (app, { uri }, { userId: actor }) => {
  await changeApp({ app, actor, what: 'app.redirect_add' }, (tx) =>
    redirects.addRedirect(app.id, uri, actor, tx),
  );
  return { ok: true, message: 'Redirect address added. It works immediately.' };
});

export const removeRedirect = memberAction(
  'develop',
  redirectOfApp,
  async (app, { uri }, { userId: actor }) => {
    await changeApp({ app, actor, what: 'app.redirect_remove' }, (tx) =>
      redirects.removeRedirect(app.id, uri, tx),
    );
    return { ok: true, message: 'Redirect address removed' };
  },
);
