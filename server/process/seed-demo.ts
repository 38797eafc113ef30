import { nowDate } from '../base/clock';
import { inTransaction, prisma } from '../base/db';
import { settings } from '../base/env';
import { newPublishableKey } from '../base/tokens';
import { addRedirect } from '../partners/redirects';

const DEMO_PARTNER_ID = 'prt_demo';
const DEMO_RATE_BP = 2500;

/** A subdomain of the checkout's host: a separate origin, as a partner's app would have. */
export function demoOrigin(): string {
  const url = new URL(settings().BASE_URL);
  // An IP address has no subdomains.
  url.hostname = /^[\d.]+$|^\[/.test(url.hostname) ? 'demo.localhost' : `demo.${url.hostname}`;
  return url.origin;
}

/** Creates the demo app on an installation without live credentials. Several instances may do so at once. */
export async function seedDemo(): Promise<void> {
  await inTransaction(async (tx) => {
    const partner = {
      id: DEMO_PARTNER_ID,
      name: 'Demo app',
      nameApprovedAt: nowDate(),
      publishableKey: newPublishableKey(),
      rateBp: DEMO_RATE_BP,
    };
    const { count } = await tx.partner.createMany({ data: partner, skipDuplicates: true });
    const rate = { partnerId: DEMO_PARTNER_ID, rateBp: DEMO_RATE_BP };
    if (count > 0)
      await tx.partnerRate.create({ data: { ...rate, effectiveAt: nowDate(), appliedAt: nowDate() } });
  });
  const origin = { partnerId: DEMO_PARTNER_ID, origin: demoOrigin() };
  await prisma().partnerOrigin.createMany({ data: origin, skipDuplicates: true });
  // The address of the sample app in docs/sign-in.md.
  await addRedirect(DEMO_PARTNER_ID, 'http://localhost/back');
}
