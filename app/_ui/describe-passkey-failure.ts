import { WebAuthnError } from '@simplewebauthn/browser';
import type { Failure } from './use-action';

export const UNSUPPORTED: Failure = {
  ok: false,
  code: 'unsupported',
  message: 'This browser cannot use passkeys at this address. Use a code instead.',
};

/** Why the browser did not create or use a passkey, for its user. */
export function describePasskeyFailure(failure: unknown): Failure {
  const { code, cause } = failure instanceof WebAuthnError ? failure : { code: undefined, cause: failure };
  if (code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED')
    return { ok: false, message: 'This device already has a passkey of your account.' };
  if (code === 'ERROR_INVALID_DOMAIN' || code === 'ERROR_INVALID_RP_ID') return UNSUPPORTED;
  // Browsers do not reveal whether the user cancelled, took too long or has no passkey here.
  return cause instanceof Error && cause.name === 'NotAllowedError'
    ? {
        ok: false,
        code: 'cancelled',
        message: 'No passkey was used: the request was cancelled, or this device has none. Please try again.',
      }
    : { ok: false, code: 'failed', message: 'The passkey could not be used on this device.' };
}
