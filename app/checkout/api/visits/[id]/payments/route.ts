import { z } from 'zod';
import { creditsToJson } from '@/server/base/credits';
import { assertNever } from '@/server/base/errors';
import { readBody } from '@/server/base/http/read-body';
import { privateJson } from '@/server/base/http/respond';
import { CURRENCIES, toMajorUnits } from '@/server/payments/checkout/amounts';
import type { PaymentForm } from '@/server/payments/checkout/payment-processor';
import { CHECKOUT_MODES } from '@/server/payments/checkout/start';
import { startVisitPayment } from '@/server/payments/checkout/visit-payments';
import { respondToVisit } from '@/server/payments/checkout/visit-request';
import { LANGUAGES } from '@/texts/languages';

const bodySchema = z.object({
  amount: z.unknown(),
  currency: z.enum(CURRENCIES).default('usd'),
  checkout_mode: z.enum(CHECKOUT_MODES).default('embedded'),
  language: z.enum(LANGUAGES).default('en'),
  promotion_code: z.string().max(100).optional(),
});

export function POST(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respondToVisit(request, context, async (visit) => {
    const {
      checkout_mode: checkoutMode,
      promotion_code: promotionCode,
      ...body
    } = await readBody(request, bodySchema);
    const { payment, bonus, form } = await startVisitPayment(visit, { ...body, checkoutMode, promotionCode });
    return privateJson({
      session_id: payment.id,
      amount: toMajorUnits(payment.amountMinor),
      currency: payment.currency,
      credits: creditsToJson(payment.credits),
      bonus_credits: creditsToJson(bonus),
      rate: Number(payment.rate),
      checkout_url: form.kind === 'hosted' ? form.url : null,
      payment: formBody(form),
    });
  });
}

function formBody(form: PaymentForm): object {
  switch (form.kind) {
    case 'sandbox':
      return { kind: form.kind, embed_url: form.embedUrl };
    case 'stripe':
      return { kind: form.kind, client_secret: form.clientSecret, publishable_key: form.publishableKey };
    case 'hosted':
      return form;
    default:
      return assertNever(form);
  }
}
