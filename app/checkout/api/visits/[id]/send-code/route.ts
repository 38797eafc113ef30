import { z } from 'zod';
import { readDevice, respondToVisit } from '@/server/checkout/visit-request';
import { sendVisitCode } from '@/server/checkout/visit-sign-in';
import { readBody } from '@/server/http/read-body';
import { privateJson } from '@/server/http/respond';

const bodySchema = z.object({ email: z.string().max(320), locale: z.string().max(35).optional() });

export function POST(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respondToVisit(request, context, async (visit) => {
    const { email, locale } = await readBody(request, bodySchema);
    const sent = await sendVisitCode(visit, { email, locale }, readDevice(request));
    return privateJson({
      challenge_id: sent.challengeId,
      expires_in: sent.expiresInSeconds,
      resend_in: sent.resendInSeconds,
    });
  });
}
