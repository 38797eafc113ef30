import type { ActionResult } from '@/app/_ui/action-result';
import { ENGLISH } from '@/app/checkout/english';
import { findOwnPayment } from '@/server/payments/checkout/own-payments';
import type { CardPayment } from '@/server/payments/checkout/pay-with-card';
import { textOf } from '@/texts/say';
import { inCredits } from '../../show-credits';

/** What the page shows in place, or the page of the bank. */
type Shown = { text: string; link: { href: string; label: string } };
export type CardResult = ActionResult<Shown | { url: string }>;

/** The outcome of a click that paid with a saved card, and of each repetition of it. */
export async function describeCardPayment(
  userId: string,
  { payment, charge }: CardPayment,
): Promise<CardResult> {
  if (charge.kind === 'unknown_card')
    return { ok: false, message: 'This card was removed. Choose another one.' };
  if (charge.kind === 'needs_action' && charge.url !== null) return { ok: true, value: { url: charge.url } };
  if (payment.status === 'completed') {
    const report = await findOwnPayment(userId, payment.id);
    const link = { href: `/account/receipts/${report?.purchaseId}`, label: 'View receipt' };
    return { ok: true, value: { text: `${inCredits(payment.credits)} added.`, link } };
  }
  if (payment.status === 'failed' || payment.status === 'expired') {
    const say = ENGLISH.say;
    const reason = textOf(say.failures, payment.failure ?? undefined) ?? `${say.failedTitle}.`;
    return { ok: false, message: `${reason} ${say.failedText}` };
  }
  const link = { href: `/account/buy/return?session_id=${payment.id}`, label: 'View payment' };
  return { ok: true, value: { text: 'Your bank is processing the payment.', link } };
}
