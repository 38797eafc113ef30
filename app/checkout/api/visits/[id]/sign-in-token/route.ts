import { readDevice, respondToVisit } from '@/server/checkout/visit-request';
import { issueAnotherToken } from '@/server/checkout/visit-sign-in';
import { privateJson } from '@/server/http/respond';

export function POST(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respondToVisit(request, context, async (visit) => {
    const { signInToken } = await issueAnotherToken(visit, readDevice(request));
    return privateJson({ sign_in_token: signInToken });
  });
}
