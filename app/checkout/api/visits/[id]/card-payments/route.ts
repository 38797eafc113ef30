import { z } from 'zod';
import { creditsToJson } from '@/server/base/credits';
import { readBody } from '@/server/base/http/read-body';
import { privateJson } from '@/server/base/http/respond';
import { CURRENCIES, toMajorUnits } from '@/server/payments/checkout/amounts';
import { payVisitWithCard } from '@/server/payments/checkout/visit-cards';
import { respondToVisit } from '@/server/payments/checkout/visit-request';
import { LANGUAGES } from '@/texts/languages';

const bodySchema = z.object({
  amount: z.unknown(),
  currency: z.enum(CURRENCIES).default('usd'),
  card_id: z.string().max(64),
  pay_id: z.string().regex(/^[\w.-]{8,128}$/, { error: 'expected 8 to 128 letters, digits, ., - or _' }),
  language: z.enum(LANGUAGES).default('en'),
});

/** Pays with a saved card. If the bank wants the user to confirm, `bank_url` is its page. */
export function POST(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respondToVisit(request, context, async (visit) => {
    const { card_id: cardId, pay_id: payId, ...body } = await readBody(request, bodySchema);
    const { payment, charge } = await payVisitWithCard(visit, { ...body, cardId, payId });
    return privateJson({
      session_id: payment.id,
      amount: toMajorUnits(payment.amountMinor),
      currency: payment.currency,
      credits: creditsToJson(payment.credits),
      rate: Number(payment.rate),
      status: payment.status,
      ...(payment.failure !== null && { failure: payment.failure }),
      bank_url: charge.kind === 'needs_action' ? charge.url : null,
    });
  });
}
