import { sendCodeSchema, writeCodeSent } from '@/server/api/sign-in';
import { readClientIp } from '@/server/http/client-ip';
import { preflight } from '@/server/http/cors';
import { readBody } from '@/server/http/read-body';
import { privateJson, respond } from '@/server/http/respond';
import { sendLoginCode } from '@/server/identity/login-codes';
import { requireCallingPartner } from '@/server/partners/calling-partner';
import { nameInMails } from '@/server/partners/rename';

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
