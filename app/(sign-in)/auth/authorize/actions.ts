'use server';

import { sessionAction } from '@/app/_session/action';
import { allowRedirect, checkRedirect } from '@/server/identity/authorize';
import { readRedirect, redirectParameters } from './request';

/** Returns the URL to go to: a redirect from the action itself could not leave for an app. */
export const allow = sessionAction(redirectParameters, async (session, parameters) => ({
  ok: true,
  value: await allowRedirect(await checkRedirect(readRedirect(parameters)), session),
}));
