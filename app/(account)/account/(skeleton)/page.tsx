import { Wallet } from 'lucide-react';
import type { Metadata } from 'next';
import { toRequestRow } from '@/app/_requests/request-row';
import { RequestTable } from '@/app/_requests/request-table';
import { requireSession } from '@/app/_session/session';
import { BarChart } from '@/app/_ui/bar-chart';
import { buttonClass } from '@/app/_ui/button';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageHead } from '@/app/_ui/page-head';
import { PageLink } from '@/app/_ui/page-link';
import { Section } from '@/app/_ui/section';
import { Stat, Stats } from '@/app/_ui/stat';
import { countOf } from '@/server/base/count-of';
import { OUTSIDE_ANY_APP, readPockets, readUsageDays } from '@/server/ledger';
import { listAppsOfUser } from '@/server/people/apps-of-user';
import { readPeriod } from '@/server/reports/activity/periods';
import { readLatestRequests } from '@/server/reports/activity/user-activity';
import { Raises } from '../raises';
import { amountOf, inCredits, inDollars, inNumber } from '../show-credits';
import { chartOf } from './activity/chart';
import { toAppRow } from './apps/app-row';
import { AppTable } from './apps/app-table';
import { BuyAgain } from './buy/buy-again';

export const metadata: Metadata = { title: { absolute: 'Account' } };

const LATEST = 5;

/** The balance, who may spend it, and recent usage. */
export default async function OverviewPage() {
  const { userId } = await requireSession();
  const { wallet, apps, days, latest, outside, spent, requests, chart } = await readOverview(userId);
  return (
    <>
      <PageHead
        title="Overview"
        actions={
          <PageLink href="/account/buy" className={buttonClass()}>
            Buy credits
          </PageLink>
        }
      />
      <Raises apps={apps} />
      <Stats>
        <Stat
          label="Balance"
          {...amountOf(wallet.money)}
          note={
            wallet.held > 0n
              ? `${inCredits(wallet.held)} reserved by running requests`
              : `worth ${inDollars(wallet.money)}`
          }
        />
        <Stat
          label="Credits for any app"
          {...amountOf(outside)}
          note="An app needs an allowance to spend them"
        />
        <Stat label="Spent in 30 days" {...amountOf(spent)} note={`worth ${inDollars(spent)}`} />
        <Stat
          label="Requests in 30 days"
          value={inNumber(requests)}
          note={`in ${countOf(new Set(days.map(({ partnerId }) => partnerId)).size, 'app')}`}
        />
      </Stats>
      <BuyAgain userId={userId} />
      <Section
        title="What each app may spend now"
        description="An app can always spend credits bought in it. To spend others, it needs an allowance."
        flush
      >
        <AppTable rows={apps.map(toAppRow)} />
      </Section>
      {requests > 0 && (
        <Section title="Credits spent per day" description="Last 30 days, by app.">
          <BarChart title="Credits spent per day in the last 30 days, by app" unit="credits" {...chart} />
        </Section>
      )}
      {latest.length > 0 ? (
        <Section
          title="Latest requests"
          actions={
            <PageLink href="/account/activity" className={buttonClass({ look: 'secondary', size: 'small' })}>
              All activity
            </PageLink>
          }
          flush
        >
          <RequestTable path="/account/activity" rows={latest.map(toRequestRow)} empty={null} />
        </Section>
      ) : (
        wallet.money === 0n && <FirstCredits />
      )}
    </>
  );
}

async function readOverview(userId: string) {
  const period = readPeriod('30d');
  const [wallet, apps, days, latest] = await Promise.all([
    readPockets(userId),
    listAppsOfUser(userId),
    readUsageDays(userId, period),
    readLatestRequests(userId, LATEST),
  ]);
  const outside = wallet.pockets.find(({ partnerId }) => partnerId === OUTSIDE_ANY_APP)?.own ?? 0n;
  const spent = days.reduce((sum, { charge }) => sum + charge, 0n);
  const requests = days.reduce((sum, day) => sum + day.requests, 0);
  const chart = chartOf(days, {
    ...period,
    step: 'day',
    by: 'app',
    names: new Map(apps.map((app) => [app.partnerId, app.name])),
  });
  return { wallet, apps, days, latest, outside, spent, requests, chart };
}

function FirstCredits() {
  return (
    <Section flush>
      <EmptyState
        icon={<Wallet size={22} aria-hidden="true" />}
        title="No credits yet"
        action={
          <PageLink href="/account/buy" className={buttonClass({ look: 'secondary' })}>
            Buy credits
          </PageLink>
        }
      >
        One balance pays for AI models in every app you allow. 100 credits are worth 1 US dollar and never
        expire.
      </EmptyState>
    </Section>
  );
}
