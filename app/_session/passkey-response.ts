import { z } from 'zod';

/** A credential ID has at most 1,023 bytes. */
const credentialId = z.string().max(1_400);
/** More than an authenticator's data takes without certificates, which are refused. */
const data = z.string().max(8_000);

const envelope = {
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
  clientExtensionResults: z.unknown().transform(() => ({})),
};

/** The browser's response when a passkey is used. */
export const usedPasskey = z.object({
  ...envelope,
  response: z
    .object({ clientDataJSON: data, authenticatorData: data, signature: data, userHandle: data.optional() })
    .transform(({ userHandle, ...signed }) => ({
      ...signed,
      ...(userHandle !== undefined && { userHandle }),
    })),
});

/** The browser's response when a passkey is created. */
export const createdPasskey = z.object({
  ...envelope,
  response: z.object({
    clientDataJSON: data,
    attestationObject: data,
    transports: z.array(z.string().max(20)).max(10).default([]),
  }),
});
