import { z } from 'zod';
import { readDevice, respondToVisit } from '@/server/checkout/visit-request';
import { recogniseByKey } from '@/server/checkout/visit-sign-in';
import { readClientIp } from '@/server/http/client-ip';
import { readBody } from '@/server/http/read-body';
import { privateJson } from '@/server/http/respond';
import { stateBody } from '../../state-body';

const bodySchema = z.object({ user_key: z.string().max(200) });

export function POST(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respondToVisit(request, context, async (visit) => {
    const { user_key: userKey } = await readBody(request, bodySchema);
    const known = await recogniseByKey(visit, userKey, readClientIp(request));
    return privateJson({ state: await stateBody(known, readDevice(request)) });
  });
}
