import { prisma } from '../../base/db';
import { randomBase62 } from '../../base/ids';
import { stripeProcessor } from './stripe/processor';

/**
 * Opens the user's customer object at the processor: one per user for all apps, created with the first
 * payment. Saved cards belong to it.
 */
export async function openCustomer(userId: string): Promise<string> {
  const kept = await prisma().paymentCustomer.upsert({
    where: { userId },
    create: { userId, creationKey: `customer_${randomBase62(32)}` },
    // Changes nothing. Without it, Prisma reads before it writes, and the second of two payments at once fails.
    update: { userId },
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

/** Null for a user who has not paid while signed in. */
export async function findCustomer(userId: string): Promise<string | null> {
  return (await prisma().paymentCustomer.findUnique({ where: { userId } }))?.processorCustomerId ?? null;
}

/** Call this when the processor no longer knows the customer: deleted there, or from another account. */
export async function forgetCustomer(userId: string, processorCustomerId: string): Promise<void> {
  await prisma().paymentCustomer.deleteMany({ where: { userId, processorCustomerId } });
}
