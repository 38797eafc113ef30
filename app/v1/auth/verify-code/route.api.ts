import { verifyCodeSchema, writeSignedIn } from '@/server/api/sign-in';
import { readClientIp } from '@/server/base/http/client-ip';
import { preflight } from '@/server/base/http/cors';
import { readBody } from '@/server/base/http/read-body';
import { privateJson, respond } from '@/server/base/http/respond';
import { requireCallingPartner } from '@/server/partners/calling-partner';
import { signInWithCode } from '@/server/people/sign-in-with-code';

export function POST(request: Request): Promise<Response> {
  return respond('chat', async () => {
    const body = await readBody(request, verifyCodeSchema);
    const partner = await requireCallingPartner(request, body.publishable_key);
    const signedIn = await signInWithCode({
      partnerId: partner.id,
      challengeId: body.challenge_id,
      email: body.email,
      code: body.code,
      origin: request.headers.get('origin'),
      clientIp: readClientIp(request),
      userAgent: request.headers.get('user-agent') ?? '',
      metadata: body.metadata,
    });
    return privateJson(writeSignedIn(signedIn));
  });
}

export const OPTIONS = preflight;
