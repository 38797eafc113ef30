import { WebAuthnError } from '@simplewebauthn/browser';

export const UNSUPPORTED = 'This browser cannot use passkeys at this address. Use a code instead.';

/** Why the browser did not create or use a passkey, for its user. */
export function describePasskeyFailure(failure: unknown): string {
  const { code, cause } = failure instanceof WebAuthnError ? failure : { code: undefined, cause: failure };
  if (code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED')
    return 'This device already has a passkey of your account.';
  if (code === 'ERROR_INVALID_DOMAIN' || code === 'ERROR_INVALID_RP_ID') return UNSUPPORTED;
  // Browsers do not reveal whether the user cancelled, took too long or has no passkey here.
  return cause instanceof Error && cause.name === 'NotAllowedError'
    ? 'No passkey was used: the request was cancelled, or this device has none. Please try again.'
    : 'The passkey could not be used on this device.';
}
