import { nowDate } from '../clock';
import { prisma } from '../db';
import { settings } from '../env';
import { newPublishableKey } from '../tokens';

const DEMO_PARTNER_ID = 'prt_demo';
const DEMO_RATE_BP = 2500;

/** Where the demo app lives: beside the checkout's host, so on an origin of its own as a partner's app would be. */
export function demoOrigin(): string {
  const url = new URL(settings().BASE_URL);
  // An address in numbers has no subdomains.
  url.hostname = /^[\d.]+$|^\[/.test(url.hostname) ? 'demo.localhost' : `demo.${url.hostname}`;
  return url.origin;
}

/** The partner behind the demo app of an install without live credentials. */
export async function seedDemo(): Promise<void> {
  const origin = demoOrigin();
  await prisma().partner.upsert({
    where: { id: DEMO_PARTNER_ID },
    create: {
      id: DEMO_PARTNER_ID,
      name: 'Demo app',
      publishableKey: newPublishableKey(),
      rateBp: DEMO_RATE_BP,
      rates: { create: { rateBp: DEMO_RATE_BP, effectiveAt: nowDate(), appliedAt: nowDate() } },
    },
    update: {},
  });
  await prisma().partnerOrigin.upsert({
    where: { partnerId_origin: { partnerId: DEMO_PARTNER_ID, origin } },
    create: { partnerId: DEMO_PARTNER_ID, origin },
    update: {},
  });
}
