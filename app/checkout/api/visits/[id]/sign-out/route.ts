import { privateJson } from '@/server/base/http/respond';
import { readDevice, respondToVisit } from '@/server/payments/checkout/visit-request';
import { signOut } from '@/server/payments/checkout/visit-sign-in';
import { stateBody } from '../../state-body';

export function POST(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respondToVisit(request, context, async (visit) =>
    privateJson({ state: await stateBody(await signOut(visit), readDevice(request)) }),
  );
}
