import { z } from 'zod';
import { clientAddress } from '@/server/http/client-address';
import { preflight } from '@/server/http/cors';
import { readBody } from '@/server/http/read-body';
import { privateJson, respond } from '@/server/http/respond';
import { sendLoginCode } from '@/server/identity/login-codes';
import { requireCallingPartner } from '@/server/partners/calling-partner';

const schema = z.object({
  publishable_key: z.string(),
  email: z.string(),
  locale: z.string().max(35).optional(),
});

export function POST(request: Request): Promise<Response> {
  return respond('chat', async () => {
    const body = await readBody(request, schema);
    const partner = await requireCallingPartner(request, body.publishable_key);
    const sent = await sendLoginCode({
      email: body.email,
      appName: partner.name,
      partnerId: partner.id,
      visitId: null,
      origin: request.headers.get('origin'),
      address: clientAddress(request),
      locale: body.locale,
    });
    return privateJson({
      challenge_id: sent.challengeId,
      expires_in: sent.expiresInSeconds,
      resend_in: sent.resendInSeconds,
    });
  });
}

export const OPTIONS = preflight;
