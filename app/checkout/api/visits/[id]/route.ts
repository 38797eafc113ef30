import { readDevice, respondToVisit } from '@/server/checkout/visit-request';
import { privateJson } from '@/server/http/respond';
import { stateBody } from '../state-body';

export function GET(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respondToVisit(request, context, async (visit) =>
    privateJson(await stateBody(visit, readDevice(request))),
  );
}
