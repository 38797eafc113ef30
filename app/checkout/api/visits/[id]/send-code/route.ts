import { z } from 'zod';
import { readBody } from '@/server/base/http/read-body';
import { privateJson } from '@/server/base/http/respond';
import { readDevice, respondToVisit } from '@/server/payments/checkout/visit-request';
import { sendVisitCode } from '@/server/payments/checkout/visit-sign-in';

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
