import { z } from 'zod';
import { ApiError } from '../base/errors';
import { sha256 } from '../base/ids';

/** Requests and responses of the endpoints that revoke keys. */

export const MAX_REPORTS = 1_000;

export const leakReportsSchema = z
  .array(
    z.object({
      token: z.string().meta({ description: 'The secret as it was found.' }),
      type: z.string().max(200).meta({ description: 'The name of the pattern. Returned unchanged.' }),
      url: z
        .string()
        .nullish()
        .meta({ description: 'Where it was found. The mail to the owner of the key contains the host.' }),
      source: z.string().nullish().meta({ description: 'The kind of place, such as `commit`. Ignored.' }),
    }),
  )
  .max(MAX_REPORTS);

export type LeakReports = z.output<typeof leakReportsSchema>;

export const leakVerdictsSchema = z.array(
  z.object({
    token_hash: z.string().meta({ description: 'The SHA-256 of the token, in hexadecimal.' }),
    token_type: z.string(),
    label: z.enum(['true_positive', 'false_positive']).meta({
      description: '`true_positive` for a user key that exists. It is revoked, if it was not before.',
    }),
  }),
);

export function parseReports(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError('invalid_request', 'The request body is not valid JSON.');
  }
}

/** Hashes instead of tokens: no response contains a key. */
export function writeVerdicts(reports: LeakReports, areOurs: boolean[]): z.output<typeof leakVerdictsSchema> {
  return reports.map(({ token, type }, n) => ({
    token_hash: sha256(token).toString('hex'),
    token_type: type,
    label: areOurs[n] ? 'true_positive' : 'false_positive',
  }));
}

export const revokedKeySchema = z.object({
  key_id: z.string().meta({ description: 'The id of the key that was revoked.' }),
  revoked: z.literal(true),
});
