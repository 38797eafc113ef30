import { z } from 'zod';
import { readBody } from '@/server/base/http/read-body';
import { privateJson } from '@/server/base/http/respond';
import { CURRENCIES } from '@/server/payments/checkout/amounts';
import { visitCookie } from '@/server/payments/checkout/visit-cookie';
import { readDevice, respondToCheckout } from '@/server/payments/checkout/visit-request';
import { recogniseOnOpen } from '@/server/payments/checkout/visit-sign-in';
import { DISPLAYS, openVisit } from '@/server/payments/checkout/visits';
import { metadataSchema } from '@/server/people/metadata';

/** SHA-256 in base64url. */
const S256 = /^[A-Za-z0-9_-]{43}$/;

const bodySchema = z.object({
  publishable_key: z.string().max(200),
  origin: z.string().max(300),
  display: z.enum(DISPLAYS),
  currency: z.enum(CURRENCIES).default('usd'),
  challenge: z.string().regex(S256, { error: 'expected an S256 challenge' }),
  metadata: metadataSchema.optional(),
});

/** Opens a checkout window for a page whose origin the browser attested to our gate page. */
export function POST(request: Request): Promise<Response> {
  return respondToCheckout(request, async () => {
    const { publishable_key: publishableKey, ...body } = await readBody(request, bodySchema);
    const device = readDevice(request);
    const { visit, token } = await openVisit({ publishableKey, ...body, clientIp: device.clientIp });
    await recogniseOnOpen(visit, device);
    return privateJson(
      { visit_id: visit.id },
      { status: 201, headers: { 'set-cookie': visitCookie(visit.id, token, body.display) } },
    );
  });
}
