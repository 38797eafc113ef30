import type { Purchase } from '../../../prisma/client/client';
import { nowDate } from '../../base/clock';
import { creditsToJson, microcredits } from '../../base/credits';
import { inTransaction, type Tx } from '../../base/db';
import { makeMailDue } from '../../base/due-mails';
import { type Booking, bookBonus, bookPurchase, OUTSIDE_ANY_APP } from '../../ledger';
import { recordEvent } from '../../partners/webhooks/record';
import { invoiceNewPurchase } from '../invoices/issue';
import { readEventSubject } from './event-subject';
import { finish, type Payment } from './payment';
import type { ProcessorPayment } from './payment-processor';

/** The processor's details of a payment that a purchase stores. */
type PaymentDetails = Pick<ProcessorPayment, 'paymentId' | 'taxMinor' | 'forInvoice'>;

/** Books the credits and notifies the partner exactly once: only one caller wins the conditional update. */
export async function credit(payment: Payment, details: PaymentDetails): Promise<void> {
  await inTransaction(async (tx) => {
    const { id, userId, partnerId } = payment;
    if (!(await finish(tx, payment, 'completed', { completedAt: nowDate(), failure: null }))) return;
    const credits = microcredits(payment.credits);
    const booking = await bookPurchase(tx, { userId, partnerId, credits, sessionId: id });
    const purchase = await keepPurchase(tx, payment, booking.transactionId, details);
    const bonus = await bookBonus(tx, id);
    // Purchases outside any app are reported to no partner.
    if (partnerId !== OUTSIDE_ANY_APP) await notifyPartner(tx, payment, booking, bonus);
    await invoiceNewPurchase(tx, purchase, payment.language, details.forInvoice?.buyer ?? null);
    await makeMailDue(tx, 'receipt', { purchaseId: purchase.id });
  });
}

async function keepPurchase(
  tx: Tx,
  { id: sessionId, userId, partnerId, currency, amountMinor, rate, credits }: Payment,
  purchaseId: string,
  { paymentId, taxMinor, forInvoice }: PaymentDetails,
): Promise<Purchase> {
  return tx.purchase.create({
    data: {
      id: purchaseId,
      userId,
      partnerId,
      sessionId,
      processorPaymentId: paymentId,
      currency,
      amountMinor,
      taxMinor,
      taxPercent: forInvoice?.taxPercent ?? null,
      isReverseCharge: forInvoice?.isReverseCharge ?? false,
      invoicedByProcessor: forInvoice?.isInvoiced ?? false,
      rate,
      credits,
      createdAt: nowDate(),
    },
  });
}

/** One event per payment: its sums include the bonus. */
async function notifyPartner(
  tx: Tx,
  { id, userId, partnerId }: Payment,
  booking: Booking,
  bonus: Booking | null,
): Promise<void> {
  await recordEvent(tx, {
    partnerId,
    type: 'credits.added',
    causeId: id,
    data: {
      type: 'purchase',
      ...(await readEventSubject(tx, { userId, partnerId })),
      balance: creditsToJson((bonus ?? booking).balance),
      credits_added: creditsToJson(booking.creditsAdded + (bonus?.creditsAdded ?? 0n)),
      transaction_id: booking.transactionId,
    },
  });
}
