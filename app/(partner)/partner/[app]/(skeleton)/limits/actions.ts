'use server';

import { z } from 'zod';
import { typedLimits } from '@/server/base/typed-limits';
import { changeApp } from '@/server/partners/app-facts';
import {
  changeLimitsOfUser,
  readAppLimits,
  readUserLimits,
  saveAppLimits,
} from '@/server/partners/user-limits';
import { memberAction, ofApp } from '../../member-action';

const user = z.string().trim().max(100);

export const saveLimitsOfApp = memberAction(
  'develop',
  ofApp.extend(typedLimits),
  async (app, input, { userId }) => {
    const { ceiling } = await readAppLimits(app.id);
    const read = readUserLimits(input, ceiling);
    if (read.refusal) return { ok: false, ...read.refusal };
    const asked = { app, actor: userId, what: 'app.limits' };
    await changeApp(asked, (tx) => saveAppLimits(app.id, read.limits, tx));
    return { ok: true, message: 'Limits saved. They apply to the next request.' };
  },
);

export const saveLimitsOfUser = memberAction(
  'develop',
  ofApp.extend({ user, ...typedLimits }),
  async (app, { user: appUserId, ...input }, { userId }) => {
    const { ceiling } = await readAppLimits(app.id);
    const read = readUserLimits(input, ceiling);
    if (read.refusal) return { ok: false, ...read.refusal };
    await changeLimitsOfUser({ app, actor: userId, appUserId }, read.limits);
    return { ok: true, message: 'Limits of the user saved. They apply to the next request.' };
  },
);

export const removeLimitsOfUser = memberAction(
  'develop',
  ofApp.extend({ user }),
  async (app, { user: appUserId }, { userId }) => {
    await changeLimitsOfUser({ app, actor: userId, appUserId }, null);
    return { ok: true, message: 'The limits of all users apply to this user again.' };
  },
);
