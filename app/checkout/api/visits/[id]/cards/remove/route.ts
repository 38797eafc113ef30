import { z } from 'zod';
import { readBody } from '@/server/base/http/read-body';
import { privateJson } from '@/server/base/http/respond';
import { removeVisitCard } from '@/server/payments/checkout/visit-cards';
import { respondToVisit } from '@/server/payments/checkout/visit-request';

const bodySchema = z.object({ card_id: z.string().max(64) });

export function POST(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respondToVisit(request, context, async (visit) => {
    const { card_id: cardId } = await readBody(request, bodySchema);
    await removeVisitCard(visit, cardId);
    return privateJson({ removed: true });
  });
}
