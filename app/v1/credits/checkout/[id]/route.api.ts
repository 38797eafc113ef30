import { writeCheckoutStatus } from '@/server/api/checkout';
import { preflight } from '@/server/base/http/cors';
import { privateJson, respond } from '@/server/base/http/respond';
import { readPaymentStatus } from '@/server/payments/checkout/payment-status';
import { requireUserKey } from '@/server/people/access/authenticate';

export const OPTIONS = preflight;

export function GET(request: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  return respond('chat', async () => {
    const { userId, partnerId } = await requireUserKey(request);
    const { id } = await params;
    return privateJson(writeCheckoutStatus(await readPaymentStatus(id, { userId, partnerId })));
  });
}
