'use server';

import { sessionAction } from '@/app/_session/action';
import { allowRedirect, checkRedirect } from '@/server/people/authorize';
import { readRedirect, redirectParameters } from './request';

/** Returns the URL to go to: a redirect from the action itself could not leave for an app. */
export const allow = sessionAction(
  redirectParameters,
  async (session, parameters) => ({
    ok: true,
    value: await allowRedirect(await checkRedirect(readRedirect(parameters)), session),
  }),
  { harmless: 'signs in to an app, which can spend what it was allowed before and no more' },
);
