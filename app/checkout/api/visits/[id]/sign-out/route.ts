import { readDevice, respondToVisit } from '@/server/checkout/visit-request';
import { signOut } from '@/server/checkout/visit-sign-in';
import { privateJson } from '@/server/http/respond';
import { stateBody } from '../../state-body';

export function POST(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respondToVisit(request, context, async (visit) =>
    privateJson({ state: await stateBody(await signOut(visit), readDevice(request)) }),
  );
}
