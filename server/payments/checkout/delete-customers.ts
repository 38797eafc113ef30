import { DAY_MS, HOUR_MS, MINUTE_MS, now, nowDate } from '../../base/clock';
import { prisma } from '../../base/db';
import { describeError, log } from '../../base/log';
import { endPayment } from './end-payment';
import { UNFINISHED } from './payment';
import { stripeProcessor } from './stripe/processor';

/**
 * The customers of deleted accounts, with their e-mail addresses and saved cards, are deleted at the
 * processor. The deletion of the account marks them in its own transaction, so that neither a crash nor an
 * unreachable processor loses one: they are tried again until the processor has done it.
 */

const BATCH_SIZE = 50;
/** Longer than any call takes that creates a customer and then stores its id. */
const CREATION_MS = HOUR_MS;

type Customer = { userId: string; processorCustomerId: string | null; deletedAt: Date };

export async function sweepDeletedCustomers(): Promise<void> {
  const due = await prisma().$queryRaw<Customer[]>`
    SELECT c.user_id AS "userId", c.processor_customer_id AS "processorCustomerId", u.deleted_at AS "deletedAt"
    FROM payment_customer c JOIN "user" u ON u.id = c.user_id
    WHERE c.deletion_due_at <= ${nowDate()} ORDER BY c.deletion_due_at LIMIT ${BATCH_SIZE}`;
  for (const customer of due) await deleteCustomer(customer);
}

async function deleteCustomer(customer: Customer): Promise<void> {
  try {
    if (!(await claim(customer)) || !(await endPayments(customer.userId))) return;
    const { userId, processorCustomerId, deletedAt } = customer;
    if (processorCustomerId !== null) await stripeProcessor.deleteCustomer(processorCustomerId);
    else if (now() - deletedAt.getTime() < CREATION_MS) return;
    await prisma().paymentCustomer.deleteMany({ where: { userId, processorCustomerId } });
  } catch (error) {
    log().warn(
      { error: describeError(error) },
      'a customer was not deleted at the processor, will be retried',
    );
  }
}

/**
 * Schedules the next attempt before this one starts, so that two processes do not both make it. The wait doubles
 * from a minute to a day, because it is as long as the account has been deleted.
 */
async function claim({ userId, deletedAt }: Customer): Promise<boolean> {
  const waitMs = Math.min(Math.max(now() - deletedAt.getTime(), MINUTE_MS), DAY_MS);
  const { count } = await prisma().paymentCustomer.updateMany({
    where: { userId, deletionDueAt: { lte: nowDate() } },
    data: { deletionDueAt: new Date(now() + waitMs) },
  });
  return count === 1;
}

/** Closes the user's open payments. False while the bank still decides about one. */
async function endPayments(userId: string): Promise<boolean> {
  const payments = await prisma().checkoutSession.findMany({ where: { userId, status: { in: UNFINISHED } } });
  for (const payment of payments) await endPayment(payment);
  return (await prisma().checkoutSession.count({ where: { userId, status: { in: UNFINISHED } } })) === 0;
}
