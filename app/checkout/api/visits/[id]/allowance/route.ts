import { z } from 'zod';
import { setAllowanceInVisit } from '@/server/checkout/allowance';
import { respondToVisit } from '@/server/checkout/visit-request';
import { creditsToJson } from '@/server/credits';
import { readBody } from '@/server/http/read-body';
import { privateJson } from '@/server/http/respond';

const bodySchema = z.object({
  credits: z.number().nullable(),
  save_id: z.string().regex(/^[\w-]{8,64}$/, { error: 'expected 8 to 64 letters, digits, - or _' }),
});

export function POST(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respondToVisit(request, context, async (visit) => {
    const { credits, save_id: saveId } = await readBody(request, bodySchema);
    const saved = await setAllowanceInVisit(visit, { credits, saveId });
    return privateJson({
      granted_credits: creditsToJson(saved.grantedCredits),
      credits_added: creditsToJson(saved.creditsAdded),
      balance: creditsToJson(saved.balance),
    });
  });
}
