import type { Metadata } from 'next';
import { requireSession } from '@/app/_session/session';
import { PageHead } from '@/app/_ui/page-head';
import { Section } from '@/app/_ui/section';
import { describeLimit } from '@/app/checkout/[visit]/describe-limit';
import { ENGLISH } from '@/app/checkout/english';
import { settings } from '@/server/base/env';
import { readSpendable } from '@/server/ledger';
import { PRESET_AMOUNTS } from '@/server/payments/checkout/amounts';
import { readButtonId } from '@/server/payments/checkout/buy-again';
import { findUsdRate } from '@/server/payments/checkout/exchange-rates';
import { findLimitedBy, writeLimitedBy } from '@/server/payments/checkout/limited-by';
import { findUsableApp } from '@/server/payments/checkout/own-payments';
import { listUsableCards } from '@/server/payments/checkout/saved-cards';
import { findAutoTopUp, isTopUpOn } from '@/server/payments/checkout/top-up/auto-top-up';
import { BuyForm } from './buy-form';
import { GiftForm } from './gift-form';

export const metadata: Metadata = { title: 'Buy credits' };

type Props = { searchParams: Promise<{ app?: string | string[] }> };

/** Buys credits that are not tied to an app, or credits for one. */
export default async function BuyPage({ searchParams }: Props) {
  const [{ userId }, { app: partnerId }] = await Promise.all([requireSession(), searchParams]);
  const app = typeof partnerId === 'string' ? await findUsableApp(userId, partnerId) : null;
  const [eurRate, topUp, buttonId, limit] = await Promise.all([
    findUsdRate('eur'),
    findAutoTopUp(userId),
    readButtonId(userId),
    app && describeLimitOf(userId, app),
  ]);
  const { MINIMUM_PURCHASE, MAXIMUM_PURCHASE, STRIPE_API_BASE, STRIPE_AUTOMATIC_TAX } = settings();
  return (
    <>
      <PageHead
        back={{ href: '/account', label: 'Overview' }}
        title={app === null ? 'Buy credits' : `Buy credits for ${app.name}`}
        description={`100 credits are worth 1 US dollar. ${isTopUpOn(topUp) ? 'This is a single payment, in addition to auto top-up, which is on.' : 'You pay once; nothing renews automatically.'}`}
      />
      <div className="max-w-xl">
        <Section>
          <BuyForm
            presets={PRESET_AMOUNTS}
            minimum={MINIMUM_PURCHASE}
            maximum={MAXIMUM_PURCHASE}
            rates={{ usd: 1, eur: eurRate === null ? null : Number(eurRate) }}
            taxNote={STRIPE_AUTOMATIC_TAX ? ENGLISH.say.taxIncluded : undefined}
            isSandbox={STRIPE_API_BASE !== undefined}
            app={app === null ? undefined : { partnerId: app.partnerId, name: app.name, limit }}
            // Read at the processor, so the page does not wait for them.
            cards={listUsableCards(userId).catch(() => [])}
            buttonId={buttonId}
          />
        </Section>
        {app === null && (
          <Section title="Redeem a gift" description="A gift code adds credits without a payment.">
            <GiftForm />
          </Section>
        )}
      </div>
    </>
  );
}

/** Why the app cannot spend now, whatever is bought for it. */
async function describeLimitOf(
  userId: string,
  { partnerId, name: app }: { partnerId: string; name: string },
): Promise<string | null> {
  const limit = writeLimitedBy(
    await findLimitedBy({ userId, partnerId }, await readSpendable(userId, partnerId)),
  );
  const words = { say: ENGLISH.say, language: 'en', app } as const;
  return limit && `${words.say.successLater({ app })} ${describeLimit(limit, words)}`;
}
