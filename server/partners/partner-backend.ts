import { SECOND_MS } from '../base/clock';
import { ApiError } from '../base/errors';
import { sameBytes, sha256 } from '../base/ids';
import { countAttempt } from '../base/rate-limit/attempts';
import { type Partner, requirePartner } from './partner';
import { openSecrets } from './webhooks/signing-secret';

/** Two a second, and room to catch up. */
const REQUESTS_PER_MINUTE = 240;

/**
 * The partner whose backend sends a request: the publishable key is the user name, and the signing secret the
 * password. During a rotation, both secrets are accepted.
 */
export async function requirePartnerBackend(request: Request): Promise<Partner> {
  const { publishableKey, secret } = readBasic(request.headers.get('authorization'));
  const partner = await requirePartner(publishableKey);
  const given = sha256(secret);
  if (!openSecrets(partner).some((own) => sameBytes(sha256(own), given))) throw wrongSigningSecret();
  const waitMs = await countAttempt('events', partner.id, REQUESTS_PER_MINUTE);
  if (waitMs > 0)
    throw new ApiError('rate_limited', 'Too many requests with the signing secret of this app.', {
      retryAfterSeconds: Math.ceil(waitMs / SECOND_MS),
    });
  return partner;
}

function readBasic(header: string | null): { publishableKey: string; secret: string } {
  const encoded = /^basic\s+([a-z0-9+/=]+)\s*$/i.exec(header ?? '')?.[1];
  const [, publishableKey, secret] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? [];
  if (publishableKey === undefined || secret === undefined)
    throw refuse(
      'No signing secret provided. Send the publishable key as user name and the signing secret as password (HTTP Basic).',
    );
  return { publishableKey, secret };
}

export const wrongSigningSecret = (): ApiError =>
  refuse('This is not the signing secret of the app. Copy it from the partner dashboard.');

const refuse = (message: string): ApiError => new ApiError('invalid_signing_secret', message);
