import { creditsToJson } from '@/server/base/credits';
import { privateJson } from '@/server/base/http/respond';
import { writeLimitedBy } from '@/server/payments/checkout/limited-by';
import { readVisitPayment } from '@/server/payments/checkout/visit-payments';
import { respondToVisit } from '@/server/payments/checkout/visit-request';

type Context = { params: Promise<{ id: string; session: string }> };

export function GET(request: Request, context: Context): Promise<Response> {
  return respondToVisit(request, context, async (visit) => {
    const { session } = await context.params;
    const report = await readVisitPayment(visit, session);
    return privateJson({
      session_id: report.sessionId,
      status: report.status,
      credits_added: creditsToJson(report.creditsAdded),
      balance: creditsToJson(report.balance),
      can_spend: report.canSpend,
      limited_by: writeLimitedBy(report.limitedBy),
      ...(report.failure !== null && { failure: report.failure }),
      ...(report.purchaseId !== null && { receipt_id: report.purchaseId }),
    });
  });
}
