import { nowDate } from '../clock';
import { prisma } from '../db';
import { settings } from '../env';
import { addRedirect } from '../partners/redirects';
import { newPublishableKey } from '../tokens';

const DEMO_PARTNER_ID = 'prt_demo';
const DEMO_RATE_BP = 2500;

/** A subdomain of the checkout's host: a separate origin, as a partner's app would have. */
export function demoOrigin(): string {
  const url = new URL(settings().BASE_URL);
  // An IP address has no subdomains.
  url.hostname = /^[\d.]+$|^\[/.test(url.hostname) ? 'demo.localhost' : `demo.${url.hostname}`;
  return url.origin;
}

/** Creates the partner of the demo app on an installation without live credentials. */
export async function seedDemo(): Promise<void> {
  const origin = demoOrigin();
  await prisma().partner.upsert({
    where: { id: DEMO_PARTNER_ID },
    create: {
      id: DEMO_PARTNER_ID,
      name: 'Demo app',
      nameApprovedAt: nowDate(),
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
  // The address of the sample app in docs/sign-in.md.
  await addRedirect(DEMO_PARTNER_ID, 'http://localhost/back');
}
