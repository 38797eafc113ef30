import { z } from 'zod';
import { readBody } from '@/server/base/http/read-body';
import { privateJson } from '@/server/base/http/respond';
import { writeOffer } from '@/server/payments/checkout/promotions';
import { readVisitOffer } from '@/server/payments/checkout/visit-payments';
import { respondToVisit } from '@/server/payments/checkout/visit-request';

const bodySchema = z.object({ code: z.string().max(100) });

/** What a promotion code adds to a purchase, or why it adds nothing. Takes nothing of its limits. */
export function POST(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respondToVisit(request, context, async (visit) => {
    const { code } = await readBody(request, bodySchema);
    const found = await readVisitOffer(visit, code);
    return privateJson('offer' in found ? { offer: writeOffer(found.offer) } : { refused: found.refusal });
  });
}
