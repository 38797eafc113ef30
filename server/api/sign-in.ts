import { z } from 'zod';
import { creditsToJson } from '../base/credits';
import type { SentCode } from '../people/login-codes';
import { metadataSchema } from '../people/metadata';
import type { SignedIn } from '../people/signed-in';
import { spendStatusSchema } from './balance';

/** Requests and responses of the sign-in endpoints. */

const publishableKey = z.string().meta({ description: 'Identifies the app.' });

export const sendCodeSchema = z.object({
  publishable_key: publishableKey,
  email: z.string().meta({ description: 'The e-mail address to send the code to.' }),
  locale: z.string().max(35).optional().meta({ description: 'The language of the e-mail, such as `de`.' }),
});

export const codeSentSchema = z.object({
  challenge_id: z.string().meta({ description: 'Send this with the code to verify it.' }),
  expires_in: z.int().meta({ description: 'Number of seconds until the code expires.' }),
  resend_in: z.int().meta({ description: 'Number of seconds until another code can be requested.' }),
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
  challenge_id: z
    .string()
    .regex(/^\w{1,64}$/, { error: 'expected the challenge_id that send-code returned' }),
  email: z.string().meta({ description: 'The e-mail address that the code was sent to.' }),
  code: z.string().meta({ description: 'The six-digit code from the e-mail.' }),
  metadata: metadataSchema.optional(),
});

export const signedInSchema = z.object({
  user_key: z.string().meta({ description: 'The key for this user’s requests. Returned only once.' }),
  key_id: z.string().meta({ description: 'The id of the key. Not secret: use it to track keys.' }),
  user_id: z.string().meta({
    description: 'The id of the user in this app. The same at every sign-in, and different in every app.',
  }),
  balance: z.number().meta({ description: 'Credits this app can spend for this user now.' }),
  currency: z.literal('credits'),
  status: spendStatusSchema,
});

export function writeSignedIn({
  userKey,
  keyId,
  appUserId,
  balance,
  status,
}: SignedIn): z.output<typeof signedInSchema> {
  return {
    user_key: userKey,
    key_id: keyId,
    user_id: appUserId,
    balance: creditsToJson(balance),
    currency: 'credits',
    status,
  };
}

export const tokenRequestSchema = z.object({
  grant_type: z.literal('signin_token'),
  publishable_key: publishableKey,
  token: z.string().meta({ description: 'The one-time token received from the sign-in window.' }),
  code_verifier: z.string().meta({ description: 'The secret whose S256 challenge opened the window.' }),
  metadata: metadataSchema.optional(),
});

export const tokenResponseSchema = signedInSchema.extend({ token_type: z.literal('Bearer') });

export function writeTokenResponse(signedIn: SignedIn): z.output<typeof tokenResponseSchema> {
  return { ...writeSignedIn(signedIn), token_type: 'Bearer' };
}
