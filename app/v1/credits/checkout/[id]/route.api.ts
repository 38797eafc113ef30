import { writeCheckoutStatus } from '@/server/api/checkout';
import { readPaymentStatus } from '@/server/checkout/payment-status';
import { requireUserKey } from '@/server/http/authenticate';
import { preflight } from '@/server/http/cors';
import { privateJson, respond } from '@/server/http/respond';

export const OPTIONS = preflight;

export function GET(request: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  return respond('chat', async () => {
    const { userId, partnerId } = await requireUserKey(request);
    const { id } = await params;
    return privateJson(writeCheckoutStatus(await readPaymentStatus(id, { userId, partnerId })));
  });
}
