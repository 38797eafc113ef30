import { prisma } from '../db';
import { randomBase62 } from '../ids';
import { stripeProcessor } from './stripe/processor';

/**
 * The processor's customer of a user, made at the first payment: one per user of the service,
 * whatever app they buy in. Saved cards hang on it.
 */
export async function openCustomer(userId: string): Promise<string> {
  const kept = await prisma().paymentCustomer.upsert({
    where: { userId },
    create: { userId, creationKey: `customer_${randomBase62(32)}` },
    update: {},
  });
  if (kept.processorCustomerId !== null) return kept.processorCustomerId;
  const { email } = await prisma().user.findUniqueOrThrow({ where: { id: userId }, select: { email: true } });
  const { processorCustomerId } = await stripeProcessor.createCustomer({
    email,
    creationKey: kept.creationKey,
  });
  await prisma().paymentCustomer.updateMany({
    where: { userId, creationKey: kept.creationKey },
    data: { processorCustomerId },
  });
  return processorCustomerId;
}

/** The processor does not know it any more: another account's, or deleted there. */
export async function forgetCustomer(userId: string, processorCustomerId: string): Promise<void> {
  await prisma().paymentCustomer.deleteMany({ where: { userId, processorCustomerId } });
}
