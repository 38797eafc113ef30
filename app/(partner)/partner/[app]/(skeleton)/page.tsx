import { BarChart } from '@/app/_ui/bar-chart';
import { buttonClass } from '@/app/_ui/button';
import { PageHead } from '@/app/_ui/page-head';
import { PageLink } from '@/app/_ui/page-link';
import { Section } from '@/app/_ui/section';
import { Stat, Stats } from '@/app/_ui/stat';
import { creditsToJson } from '@/server/base/credits';
import { isLive, settings } from '@/server/base/env';
import { servedModels } from '@/server/gateway/pricing/served';
import { readEarnings } from '@/server/ledger';
import { readFirstSteps } from '@/server/partners/first-steps';
import type { Partner } from '@/server/partners/partner';
import { barsOf } from '@/server/reports/activity/bars';
import {
  type AppDay,
  countActiveUsers,
  readAppDays,
  readErrorDays,
} from '@/server/reports/activity/partner-activity';
import { readPeriod } from '@/server/reports/activity/periods';
import { inCredits, inDollars, inNumber } from '../money';
import { type AppParams, requireApp } from '../require-app';
import { writeRequestSnippet } from '../snippet';
import { Checklist } from './checklist';

const PERIOD = '30d';

export default async function HomePage(props: AppParams) {
  const app = await requireApp(props, 'view');
  const days = readPeriod(PERIOD);
  const [steps, activity] = await Promise.all([readFirstSteps(app.id), readAppDays(app.id, days)]);
  const hasBegun = activity.length > 0 || steps.hasPurchase;
  return (
    <>
      <PageHead
        title={app.name}
        description={
          hasBegun ? 'The last 30 days. Dates are in UTC.' : 'A few steps to your first paid request.'
        }
      />
      {hasBegun && <Numbers app={app} activity={activity} />}
      <Checklist
        partnerId={app.id}
        publishableKey={app.publishableKey}
        scriptUrl={settings().SDK_URL}
        isSandbox={!isLive()}
        requestSnippet={writeRequestSnippet(settings().BASE_URL, firstModelOf(app))}
        steps={{ ...steps, hasRequest: steps.hasRequest || activity.length > 0 }}
      />
      {hasBegun && <Charts partnerId={app.id} activity={activity} />}
    </>
  );
}

const firstModelOf = ({ allModels, allowedModels }: Partner): string =>
  servedModels().find(({ id, type }) => type === 'language' && (allModels || allowedModels.includes(id)))
    ?.id ?? 'provider/model';

async function Numbers({ app, activity }: { app: Partner; activity: AppDay[] }) {
  const days = readPeriod(PERIOD);
  const [earnings, users, errors] = await Promise.all([
    readEarnings(app.id),
    countActiveUsers(app.id, days),
    readErrorDays(app.id, days),
  ]);
  const requests = activity.reduce((sum, day) => sum + day.requests, 0);
  const failures = errors.reduce((sum, { count }) => sum + count, 0);
  return (
    <Stats>
      <Stat
        label="Matured earnings"
        value={inDollars(earnings.matured)}
        note={`${inCredits(earnings.matured)} credits`}
      />
      <Stat
        label="Maturing earnings"
        value={inDollars(earnings.maturing)}
        note={`${inCredits(earnings.maturing)} credits, mature after ${earnings.holdDays} days`}
      />
      <Stat
        label="Requests"
        value={inNumber(requests)}
        note={users === 1 ? '1 active user' : `${inNumber(users)} active users`}
      />
      <Stat
        label="Refused or failed"
        value={inNumber(failures)}
        note={
          <PageLink href={`/partner/${app.id}/errors`} className="underline">
            By error code
          </PageLink>
        }
      />
    </Stats>
  );
}

function Charts({ partnerId, activity }: { partnerId: string; activity: AppDay[] }) {
  const days = readPeriod(PERIOD);
  const earned = activity.map(({ day, partnerShare }) => ({
    day,
    name: 'Earned',
    value: creditsToJson(partnerShare),
  }));
  const requests = activity.map(({ day, requests: value }) => ({ day, name: 'Requests', value }));
  return (
    <>
      <Section
        title="Earnings by day"
        description="In credits."
        actions={<More href={`/partner/${partnerId}/earnings`}>All earnings</More>}
      >
        <BarChart title="Commission earned by day" unit="credits" {...barsOf(earned, days, PERIOD)} />
      </Section>
      <Section
        title="Requests by day"
        actions={<More href={`/partner/${partnerId}/requests`}>All requests</More>}
      >
        <BarChart title="Requests by day" {...barsOf(requests, days, PERIOD)} />
      </Section>
    </>
  );
}

function More({ href, children }: { href: string; children: string }) {
  return (
    <PageLink href={href} className={`${buttonClass({ look: 'quiet', size: 'small' })} -mr-3`}>
      {children}
    </PageLink>
  );
}
