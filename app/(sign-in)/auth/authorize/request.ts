import { z } from 'zod';
import type { RedirectRequest } from '@/server/people/authorize';

/** The query parameters under their documented names; missing ones are empty. */
const parameter = z.string().max(2_000).catch('');

export const redirectParameters = z.object({
  publishable_key: parameter,
  /** The name of the same in OAuth. */
  client_id: parameter,
  response_type: parameter,
  redirect_uri: parameter,
  code_challenge: parameter,
  code_challenge_method: parameter,
  state: parameter,
});

export type RedirectParameters = z.output<typeof redirectParameters>;

export function readRedirect(parameters: RedirectParameters): RedirectRequest {
  const isStandard = parameters.publishable_key === '' && parameters.client_id !== '';
  return {
    publishableKey: isStandard ? parameters.client_id : parameters.publishable_key,
    redirectUri: parameters.redirect_uri,
    challenge: parameters.code_challenge,
    challengeMethod: parameters.code_challenge_method,
    responseType: isStandard ? parameters.response_type : undefined,
    state: parameters.state,
  };
}
