import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
} from '@simplewebauthn/browser';
import type { ActionResult } from '../_ui/action-result';
import { describePasskeyFailure, UNSUPPORTED } from '../_ui/describe-passkey-failure';
import { askBrowserForPasskey, enterPasskey } from './passkey-actions';

/** Signs in, or confirms, with a passkey that the browser asks the user for. */
export async function signWithPasskey(): Promise<ActionResult> {
  if (!browserSupportsWebAuthn()) return UNSUPPORTED;
  const asked = await askBrowserForPasskey(undefined);
  if (!asked.ok || !asked.value) return asked.ok ? UNSUPPORTED : asked;
  try {
    return await enterPasskey({ response: await startAuthentication({ optionsJSON: asked.value }) });
  } catch (failure) {
    return describePasskeyFailure(failure);
  }
}

/**
 * Offers passkeys in the suggestions of the field with `autocomplete="… webauthn"`. Null when the browser
 * cannot, or when the user does something else instead.
 */
export async function signWithSuggestedPasskey(): Promise<ActionResult | null> {
  if (!(await browserSupportsWebAuthnAutofill())) return null;
  const asked = await askBrowserForPasskey(undefined);
  if (!asked.ok || !asked.value) return null;
  const response = await startAuthentication({ optionsJSON: asked.value, useBrowserAutofill: true }).catch(
    () => null,
  );
  return response && enterPasskey({ response });
}
