import { z } from 'zod';
import type { SentCode } from './login-codes';
import { metadataSchema } from './metadata';
import { type SignedIn, signedInSchema, writeSignedIn } from './signed-in';

/** The requests of the sign-in endpoints, and the answers that are theirs alone. */

const publishableKey = z.string().meta({ description: 'Names the app.' });

export const sendCodeSchema = z.object({
  publishable_key: publishableKey,
  email: z.string().meta({ description: 'Where the code goes.' }),
  locale: z.string().max(35).optional().meta({ description: 'Language of the mail, such as `de`.' }),
});

export const codeSentSchema = z.object({
  challenge_id: z.string().meta({ description: 'Send it back with the code.' }),
  expires_in: z.int().meta({ description: 'Seconds for which the code is good.' }),
  resend_in: z.int().meta({ description: 'Seconds until another code may be asked for.' }),
});

export function writeCodeSent(sent: SentCode): z.output<typeof codeSentSchema> {
  return {
    challenge_id: sent.challengeId,
    expires_in: sent.expiresInSeconds,
    resend_in: sent.resendInSeconds,
  };
}

export const verifyCodeSchema = z.object({
  publishable_key: publishableKey,
  challenge_id: z.string(),
  email: z.string().meta({ description: 'The same as the code was sent to.' }),
  code: z.string().meta({ description: 'The six digits of the mail.' }),
  metadata: metadataSchema.optional(),
});

export const tokenRequestSchema = z.object({
  grant_type: z.literal('signin_token'),
  publishable_key: publishableKey,
  token: z.string().meta({ description: 'The one-time token that the sign-in window handed over.' }),
  code_verifier: z.string().meta({ description: 'The secret whose S256 challenge opened the window.' }),
  metadata: metadataSchema.optional(),
});

export const tokenResponseSchema = signedInSchema.extend({ token_type: z.literal('Bearer') });

export function writeTokenResponse(signedIn: SignedIn): z.output<typeof tokenResponseSchema> {
  return { ...writeSignedIn(signedIn), token_type: 'Bearer' };
}
