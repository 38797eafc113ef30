import { z } from 'zod';
import { readClientIp } from '@/server/base/http/client-ip';
import { readBody } from '@/server/base/http/read-body';
import { privateJson } from '@/server/base/http/respond';
import { readDevice, respondToVisit } from '@/server/payments/checkout/visit-request';
import { recogniseByKey } from '@/server/payments/checkout/visit-sign-in';
import { stateBody } from '../../state-body';

const bodySchema = z.object({ user_key: z.string().max(200) });

export function POST(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respondToVisit(request, context, async (visit) => {
    const { user_key: userKey } = await readBody(request, bodySchema);
    const known = await recogniseByKey(visit, userKey, readClientIp(request));
    return privateJson({ state: await stateBody(known, readDevice(request)) });
  });
}
