import { readPaymentStatus } from '@/server/checkout/payment-status';
import { creditsToJson } from '@/server/credits';
import { preflight } from '@/server/http/cors';
import { privateJson, respond } from '@/server/http/respond';
import { requireUserKey } from '@/server/keys/authenticate';

export const OPTIONS = preflight;

export function GET(request: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  return respond('chat', async () => {
    const { userId, partnerId } = await requireUserKey(request);
    const { id } = await params;
    const report = await readPaymentStatus(id, { userId, partnerId });
    return privateJson({
      session_id: report.sessionId,
      status: report.status,
      credits_added: creditsToJson(report.creditsAdded),
      balance: creditsToJson(report.balance),
    });
  });
}
