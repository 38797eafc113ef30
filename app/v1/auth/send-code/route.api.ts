import { sendCodeSchema, writeCodeSent } from '@/server/api/sign-in';
import { readClientIp } from '@/server/base/http/client-ip';
import { preflight } from '@/server/base/http/cors';
import { readBody } from '@/server/base/http/read-body';
import { privateJson, respond } from '@/server/base/http/respond';
import { requireCallingPartner } from '@/server/partners/calling-partner';
import { nameInMails } from '@/server/partners/rename';
import { sendLoginCode } from '@/server/people/login-codes';

export function POST(request: Request): Promise<Response> {
  return respond('chat', async () => {
    const body = await readBody(request, sendCodeSchema);
    const partner = await requireCallingPartner(request, body.publishable_key);
    const sent = await sendLoginCode({
      email: body.email,
      appName: nameInMails(partner),
      partnerId: partner.id,
      visitId: null,
      origin: request.headers.get('origin'),
      clientIp: readClientIp(request),
      locale: body.locale,
    });
    return privateJson(writeCodeSent(sent));
  });
}

export const OPTIONS = preflight;
