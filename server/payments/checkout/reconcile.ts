import type { CheckoutSession, Purchase } from '../../../prisma/client/client';
import { HOUR_MS } from '../../base/clock';
import { prisma } from '../../base/db';
import type { ProcessorPayment, ProcessorReference } from './payment-processor';
import { stripeProcessor } from './stripe/processor';

/** A payment that the processor and the database describe differently. */
export type PaymentDifference = {
  checkoutSessionId: string;
  reference: ProcessorReference;
  amountMinor: number | null;
  currency: string | null;
  what: string;
  /** Whether crediting the payment resolves the difference. */
  isUncredited: boolean;
};

const PAGE_SIZE = 100;

/** Compares the processor's paid payments that began in a period with the checkout sessions and purchases. */
export async function reconcilePayments(period: {
  from: Date;
  to: Date;
}): Promise<{ compared: number; foreign: number; differences: PaymentDifference[] }> {
  const paid = new Set<string>();
  const differences: PaymentDifference[] = [];
  let foreign = 0;
  for await (const page of inPages(stripeProcessor.listPaidPayments(widen(period)))) {
    const ours = page.filter(isOurs);
    foreign += page.length - ours.length;
    for (const { checkoutSessionId } of ours) paid.add(checkoutSessionId);
    differences.push(...(await compare(ours)));
  }
  differences.push(...(await findUnpaid(period, paid)));
  return { compared: paid.size, foreign, differences };
}

type OurPayment = ProcessorPayment & { checkoutSessionId: string };

const isOurs = (payment: ProcessorPayment): payment is OurPayment => payment.checkoutSessionId !== null;

/** The processor's session begins a moment after ours. */
const widen = ({ from, to }: { from: Date; to: Date }) => ({
  from: new Date(from.getTime() - HOUR_MS),
  to: new Date(to.getTime() + HOUR_MS),
});

async function* inPages<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item[]> {
  let page: Item[] = [];
  for await (const item of items) {
    page.push(item);
    if (page.length < PAGE_SIZE) continue;
    yield page;
    page = [];
  }
  yield page;
}

async function compare(payments: OurPayment[]): Promise<PaymentDifference[]> {
  const ids = payments.map(({ checkoutSessionId }) => checkoutSessionId);
  const [sessions, purchases] = await Promise.all([
    prisma().checkoutSession.findMany({ where: { id: { in: ids } } }),
    prisma().purchase.findMany({ where: { sessionId: { in: ids } } }),
  ]);
  const sessionOf = new Map(sessions.map((session) => [session.id, session]));
  const purchaseOf = new Map(purchases.map((purchase) => [purchase.sessionId, purchase]));
  return payments.flatMap((payment) => {
    const { checkoutSessionId: id, reference, amountMinor, currency } = payment;
    const what = describeDifference(payment, sessionOf.get(id), purchaseOf.get(id));
    const isUncredited = sessionOf.get(id)?.status !== 'completed';
    return what === null
      ? []
      : [{ checkoutSessionId: id, reference, amountMinor, currency, what, isUncredited }];
  });
}

function describeDifference(
  payment: OurPayment,
  session: CheckoutSession | undefined,
  purchase: Purchase | undefined,
): string | null {
  if (session === undefined) return 'paid, but the checkout session is unknown';
  if (session.status !== 'completed') return `paid, but the checkout session is ${session.status}`;
  if (purchase === undefined) return 'paid, but there is no purchase';
  if (purchase.currency !== payment.currency || purchase.amountMinor !== payment.amountMinor)
    return `paid, but the purchase is ${purchase.amountMinor} ${purchase.currency}`;
  if (purchase.refundedMinor !== payment.refundedMinor)
    return `${payment.refundedMinor} are refunded, ${purchase.refundedMinor} here`;
  return null;
}

/** Purchases whose payment the processor does not report. */
async function findUnpaid(
  { from, to }: { from: Date; to: Date },
  paid: ReadonlySet<string>,
): Promise<PaymentDifference[]> {
  const completed = await prisma().checkoutSession.findMany({
    where: { status: 'completed', createdAt: { gte: from, lt: to } },
    select: {
      id: true,
      processorSessionId: true,
      processorPaymentId: true,
      amountMinor: true,
      currency: true,
    },
  });
  return completed
    .filter(({ id }) => !paid.has(id))
    .map(({ id, processorSessionId, processorPaymentId, ...price }) => ({
      checkoutSessionId: id,
      reference: { processorSessionId, processorPaymentId },
      ...price,
      what: 'credited, but not paid at the payment processor',
      isUncredited: false,
    }));
}
