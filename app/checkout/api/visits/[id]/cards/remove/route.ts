import { z } from 'zod';
import { removeVisitCard } from '@/server/checkout/visit-cards';
import { respondToVisit } from '@/server/checkout/visit-request';
import { readBody } from '@/server/http/read-body';
import { privateJson } from '@/server/http/respond';

const bodySchema = z.object({ card_id: z.string().max(64) });

export function POST(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respondToVisit(request, context, async (visit) => {
    const { card_id: cardId } = await readBody(request, bodySchema);
    await removeVisitCard(visit, cardId);
    return privateJson({ removed: true });
  });
}
