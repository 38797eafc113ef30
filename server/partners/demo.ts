import { prisma } from '../base/db';

const DEMO_PARTNER_ID = 'prt_demo';

/** The publishable key of the demo app, or null if the installation has none. */
export async function findDemoPublishableKey(): Promise<string | null> {
  const partner = await prisma().partner.findUnique({
    where: { id: DEMO_PARTNER_ID },
    select: { publishableKey: true },
  });
  return partner?.publishableKey ?? null;
}
