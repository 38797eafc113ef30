import { privateJson } from '@/server/base/http/respond';
import { readDevice, respondToVisit } from '@/server/payments/checkout/visit-request';
import { stateBody } from '../state-body';

export function GET(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respondToVisit(request, context, async (visit) =>
    privateJson(await stateBody(visit, readDevice(request))),
  );
}
