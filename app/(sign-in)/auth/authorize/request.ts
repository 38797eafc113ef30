import { z } from 'zod';
import type { RedirectRequest } from '@/server/identity/authorize';

/** The query parameters under their documented names; missing ones are empty. */
const parameter = z.string().max(2_000).catch('');

export const redirectParameters = z.object({
  publishable_key: parameter,
  redirect_uri: parameter,
  code_challenge: parameter,
  code_challenge_method: parameter,
  state: parameter,
});

export type RedirectParameters = z.output<typeof redirectParameters>;

export function readRedirect(parameters: RedirectParameters): RedirectRequest {
  return {
    publishableKey: parameters.publishable_key,
    redirectUri: parameters.redirect_uri,
    challenge: parameters.code_challenge,
    challengeMethod: parameters.code_challenge_method,
    state: parameters.state,
  };
}
