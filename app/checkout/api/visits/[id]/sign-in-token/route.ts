import { privateJson } from '@/server/base/http/respond';
import { readDevice, respondToVisit } from '@/server/payments/checkout/visit-request';
import { issueAnotherToken } from '@/server/payments/checkout/visit-sign-in';

export function POST(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respondToVisit(request, context, async (visit) => {
    const { signInToken } = await issueAnotherToken(visit, readDevice(request));
    return privateJson({ sign_in_token: signInToken });
  });
}
