import { prisma } from '../base/db';

/** The setup progress of an app, derived from events rather than from a checklist. */
export type FirstSteps = {
  hasOrigin: boolean;
  /** A page with the publishable key opened the checkout. */
  hasOpenedCheckout: boolean;
  hasWebhook: boolean;
  hasPurchase: boolean;
  /** Counted with a short delay. */
  hasRequest: boolean;
};

export async function readFirstSteps(partnerId: string): Promise<FirstSteps> {
  const [origin, visit, purchase, request, partner] = await Promise.all([
    prisma().partnerOrigin.findFirst({ where: { partnerId }, select: { origin: true } }),
    prisma().checkoutVisit.findFirst({ where: { partnerId }, select: { id: true } }),
    prisma().purchase.findFirst({ where: { partnerId }, select: { id: true } }),
    prisma().activityAppUser.findFirst({ where: { partnerId }, select: { userId: true } }),
    prisma().partner.findUniqueOrThrow({ where: { id: partnerId }, select: { webhookUrl: true } }),
  ]);
  return {
    hasOrigin: origin !== null,
    hasOpenedCheckout: visit !== null || purchase !== null,
    hasWebhook: partner.webhookUrl !== null,
    hasPurchase: purchase !== null,
    hasRequest: request !== null,
  };
}
