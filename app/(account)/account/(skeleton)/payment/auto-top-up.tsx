import type { ReactNode } from 'react';
import { Badge, type BadgeLook } from '@/app/_ui/badge';
import { Notice } from '@/app/_ui/notice';
import { PageLink } from '@/app/_ui/page-link';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import { creditsToJson } from '@/server/base/credits';
import { settings } from '@/server/base/env';
import { readUsageDays } from '@/server/ledger';
import { nameCard } from '@/server/payments/checkout/card-name';
import { findUsdRate } from '@/server/payments/checkout/exchange-rates';
import {
  findAutoTopUp,
  type OffReason,
  readSpentThisMonth,
  type TopUpState,
} from '@/server/payments/checkout/top-up/auto-top-up';
import { confirmationPath } from '@/server/payments/checkout/top-up/confirm';
import { describeOff } from '@/server/payments/checkout/top-up/describe-off';
import { formatMinor } from '@/server/payments/checkout/top-up/terms';
import { finishAuthorization, listTopUpCards } from '@/server/payments/checkout/top-up/turn-on';
import { listAppsOfUser } from '@/server/people/apps-of-user';
import { readPeriod } from '@/server/reports/activity/periods';
import { AutoTopUpForm } from './auto-top-up-form';
import { FIRST_CHOICE } from './first-choice';
import { type TopUpApp, TopUpApps } from './top-up-apps';

const BADGES: Record<TopUpState, { look: BadgeLook; label: string }> = {
  authorizing: { look: 'warning', label: 'Not confirmed' },
  on: { look: 'positive', label: 'On' },
  needs_confirmation: { look: 'warning', label: 'Confirmation needed' },
  off: { look: 'neutral', label: 'Off' },
};

/** Buys credits with a saved card whenever few are left. */
export async function AutoTopUp({ userId }: { userId: string }) {
  const [found, cards, eurRate, apps] = await Promise.all([
    findAutoTopUp(userId),
    listTopUpCards(userId),
    findUsdRate('eur'),
    listAppsInUse(userId),
  ]);
  const topUp = found && (await finishAuthorization(found));
  const state = (topUp?.state ?? 'off') as TopUpState;
  const { look, label } = BADGES[state];
  const { BRAND_NAME, MINIMUM_PURCHASE, MAXIMUM_PURCHASE } = settings();
  return (
    <div id="auto-top-up" className="scroll-mt-6">
      <Section
        title="Auto top-up"
        description="Buys credits with a saved card when you have few left. An app needs an allowance to spend them."
        actions={<Badge look={look}>{label}</Badge>}
      >
        {topUp && <State topUp={topUp} />}
        {(cards.length > 0 || state !== 'off') && (
          // A cent buys a credit, and a euro cent about as many.
          <TopUpApps apps={apps} credits={(topUp ?? FIRST_CHOICE).amountMinor} />
        )}
        <AutoTopUpForm
          brand={BRAND_NAME}
          cards={cards.map(({ id, brand, last4 }) => ({ id, brand, last4 }))}
          currencies={eurRate === null ? ['usd'] : ['usd', 'eur']}
          minimum={MINIMUM_PURCHASE}
          maximum={MAXIMUM_PURCHASE}
          isOn={state !== 'off'}
          saved={
            topUp && {
              threshold: creditsToJson(topUp.threshold),
              currency: topUp.currency as 'usd' | 'eur',
              amountMinor: topUp.amountMinor,
              ceilingMinor: topUp.ceilingMinor,
              cardId: topUp.cardId,
            }
          }
        />
      </Section>
    </div>
  );
}

async function listAppsInUse(userId: string): Promise<TopUpApp[]> {
  const [apps, days] = await Promise.all([listAppsOfUser(userId), readUsageDays(userId, readPeriod('30d'))]);
  const used = new Set(days.map(({ partnerId }) => partnerId));
  return apps
    .filter(({ partnerId, isSuspended }) => used.has(partnerId) && !isSuspended)
    .map(({ partnerId, name, allowanceLeft, allowancePaused }) => ({
      partnerId,
      name,
      allowance: creditsToJson(allowanceLeft ?? 0n),
      paused: allowancePaused !== null,
    }));
}

type FoundTopUp = NonNullable<Awaited<ReturnType<typeof findAutoTopUp>>>;

function State({ topUp }: { topUp: FoundTopUp }) {
  const { state, offReason, sessionId, confirmUntil, currency, amountMinor, ceilingMinor } = topUp;
  const money = (minor: number) => formatMinor(minor, currency);
  const card = nameCard({ brand: topUp.cardBrand, last4: topUp.cardLast4 });
  if (state === 'off') {
    if (offReason === null || offReason === 'user') return null;
    const { title, text } = describeOff(offReason as OffReason, money(amountMinor), card);
    return (
      <Above>
        <Notice kind="danger">
          <strong>{title}.</strong> {text}
        </Notice>
      </Above>
    );
  }
  if (state === 'authorizing') {
    return (
      <Above>
        <Notice kind="warning">
          Your bank has not confirmed the {card} yet, so auto top-up is not on. Save again to return to your
          bank.
        </Notice>
      </Above>
    );
  }
  if (state === 'needs_confirmation' && sessionId !== null) {
    return (
      <Above>
        <Notice kind="warning">
          Your bank wants you to confirm a payment of {money(amountMinor)}
          {confirmUntil && (
            <>
              {' '}
              by <Time at={confirmUntil.toISOString()} />
            </>
          )}
          .{' '}
          <PageLink href={confirmationPath(sessionId)} className="font-medium underline">
            Confirm the payment
          </PageLink>
        </Notice>
      </Above>
    );
  }
  const spent = readSpentThisMonth(topUp);
  return (
    <Above>
      <p className="text-sm text-muted">
        {money(spent)} of {money(ceilingMinor)} used this month.
        {spent + amountMinor > ceilingMinor &&
          ' The next top-up is possible next month, or with a higher maximum.'}
      </p>
    </Above>
  );
}

const Above = ({ children }: { children: ReactNode }) => <div className="mb-5">{children}</div>;
