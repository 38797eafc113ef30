import { verifyCodeSchema, writeSignedIn } from '@/server/api/sign-in';
import { readClientIp } from '@/server/http/client-ip';
import { preflight } from '@/server/http/cors';
import { readBody } from '@/server/http/read-body';
import { privateJson, respond } from '@/server/http/respond';
import { signInWithCode } from '@/server/identity/sign-in-with-code';
import { requireCallingPartner } from '@/server/partners/calling-partner';

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
