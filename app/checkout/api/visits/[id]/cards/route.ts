import { privateJson } from '@/server/base/http/respond';
import { listVisitCards } from '@/server/payments/checkout/visit-cards';
import { respondToVisit } from '@/server/payments/checkout/visit-request';

/** The user's saved cards, the one used last first. */
export function GET(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respondToVisit(request, context, async (visit) => {
    const cards = await listVisitCards(visit);
    return privateJson({
      cards: cards.map(({ id, brand, last4, expiryMonth, expiryYear, endsTopUp }) => ({
        id,
        brand,
        last4,
        expiry_month: expiryMonth,
        expiry_year: expiryYear,
        ends_top_up: endsTopUp,
      })),
    });
  });
}
