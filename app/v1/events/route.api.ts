import { eventQuerySchema, writeEventPage } from '@/server/api/events';
import { preflight } from '@/server/base/http/cors';
import { validate } from '@/server/base/http/read-body';
import { privateJson, respond } from '@/server/base/http/respond';
import { requirePartnerBackend } from '@/server/partners/partner-backend';
import { listEvents } from '@/server/partners/webhooks/list-events';

export const GET = (request: Request): Promise<Response> =>
  respond('chat', async () => {
    const partner = await requirePartnerBackend(request);
    const page = validate(eventQuerySchema, Object.fromEntries(new URL(request.url).searchParams));
    return privateJson(writeEventPage(await listEvents(partner.id, page)));
  });

export const OPTIONS = preflight;
