import { z } from 'zod';
import { readBody } from '@/server/base/http/read-body';
import { privateJson } from '@/server/base/http/respond';
import { readDevice, respondToVisit } from '@/server/payments/checkout/visit-request';
import { acceptHandOver, issueAnotherToken } from '@/server/payments/checkout/visit-sign-in';

const bodySchema = z.object({
  /** From the window in which the user has signed in. */
  hand_over: z.string().max(400).optional(),
  changes_account: z.boolean().default(false),
});

/** Without an effect if the window knows another account, unless `changes_account` is set. */
export function POST(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respondToVisit(request, context, async (visit) => {
    const { hand_over: token, changes_account: changesAccount } = await readBody(request, bodySchema);
    const issued =
      token === undefined
        ? await issueAnotherToken(visit, readDevice(request))
        : await acceptHandOver(visit, { token, changesAccount });
    return privateJson(
      'otherAccount' in issued
        ? { refused: 'other_account', email: issued.otherAccount }
        : { sign_in_token: issued.signInToken },
    );
  });
}
