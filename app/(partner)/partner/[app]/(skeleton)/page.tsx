import { BarChart } from '@/app/_ui/bar-chart';
import { buttonClass } from '@/app/_ui/button';
import { describeGrowth } from '@/app/_ui/describe-growth';
import { Notice } from '@/app/_ui/notice';
import { PageHead } from '@/app/_ui/page-head';
import { PageLink } from '@/app/_ui/page-link';
import { Section } from '@/app/_ui/section';
import { Stat, Stats } from '@/app/_ui/stat';
import { creditsToJson } from '@/server/base/credits';
import { isLive, settings } from '@/server/base/env';
import { modelsOf } from '@/server/gateway/pricing/served';
import { readEarnings } from '@/server/ledger';
import { readFirstSteps } from '@/server/partners/first-steps';
import type { Partner } from '@/server/partners/partner';
import { hasRight, type Role } from '@/server/partners/rights';
import { barsOf } from '@/server/reports/activity/bars';
import {
  type AppDay,
  countActiveUsers,
  type ErrorCount,
  readAppDays,
  readErrorDays,
} from '@/server/reports/activity/partner-activity';
import { readPeriod, readPreviousPeriod } from '@/server/reports/activity/periods';
import { inCredits, inDollars, inNumber } from '../money';
import { type AppParams, requireMember } from '../require-app';
import { writeRequestSnippet } from '../snippet';
import { Checklist } from './checklist';

const PERIOD = '30d';

export default async function HomePage(props: AppParams) {
  const { app, role } = await requireMember(props);
  const days = readPeriod(PERIOD);
  const [steps, activity] = await Promise.all([readFirstSteps(app.id), readAppDays(app.id, days)]);
  const hasRequest = steps.hasRequest || activity.length > 0;
  const hasBegun = activity.length > 0 || steps.hasPurchase;
  return (
    <>
      <PageHead
        title={app.name}
        description={hasBegun ? 'Dates are in UTC.' : 'A few steps to your first paid request.'}
      />
      <NameNotice app={app} />
      {hasBegun && <Numbers app={app} role={role} activity={activity} />}
      {hasRequest && <Charts partnerId={app.id} activity={activity} />}
      <Checklist
        partnerId={app.id}
        publishableKey={app.publishableKey}
        scriptUrl={settings().SDK_URL}
        isSandbox={!isLive()}
        requestSnippet={writeRequestSnippet(settings().BASE_URL, firstModelOf(app))}
        steps={{ ...steps, hasRequest }}
      />
      {hasBegun && !hasRequest && <Charts partnerId={app.id} activity={activity} />}
    </>
  );
}

const firstModelOf = (app: Partner): string =>
  modelsOf(app).find(({ type }) => type === 'language')?.id ?? 'provider/model';

/** Why users see more than the name. */
function NameNotice({ app: { id, name, nameApprovedAt, review } }: { app: Partner }) {
  if (review !== 'approved' || nameApprovedAt !== null) return null;
  return (
    <div className="mb-6">
      <Notice kind="info">
        Users see your site’s address next to {name} until its name is approved.{' '}
        <PageLink href={`/partner/${id}/settings`} className="underline underline-offset-2">
          Ask for approval
        </PageLink>
      </Notice>
    </div>
  );
}

type NumbersProps = { app: Partner; role: Role; activity: AppDay[] };

async function Numbers({ app, role, activity }: NumbersProps) {
  const [days, before] = [readPeriod(PERIOD), readPreviousPeriod(PERIOD)];
  const [earnings, users, errors, activityBefore, errorsBefore] = await Promise.all([
    readEarnings(app.id),
    countActiveUsers(app.id, days),
    readErrorDays(app.id, days),
    readAppDays(app.id, before),
    readErrorDays(app.id, before),
  ]);
  const [now, then] = [sumUp(activity, errors), sumUp(activityBefore, errorsBefore)];
  return (
    <Stats>
      <Stat
        label="Earned, 30 days"
        value={inDollars(now.earned)}
        note={<Change value={Number(now.earned)} before={Number(then.earned)} />}
      />
      <Stat
        label="Requests, 30 days"
        value={inNumber(now.requests)}
        note={
          <>
            {users === 1 ? '1 active user' : `${inNumber(users)} active users`}
            <br />
            <Change value={now.requests} before={then.requests} />
          </>
        }
      />
      <Stat
        label="Refused or failed, 30 days"
        value={inNumber(now.failures)}
        note={
          <>
            <PageLink href={`/partner/${app.id}/errors`} className="underline">
              By error code
            </PageLink>
            <br />
            <Change value={now.failures} before={then.failures} />
          </>
        }
      />
      <Stat
        {...(hasRight(role, 'see_payouts')
          ? { label: 'Payable now', value: inDollars(earnings.payable) }
          : { label: 'Matured, all time', value: inDollars(earnings.matured) })}
        note={`${inCredits(earnings.maturing)} credits mature after ${earnings.holdDays} days`}
      />
    </Stats>
  );
}

function sumUp(activity: AppDay[], errors: ErrorCount[]) {
  return {
    earned: activity.reduce((sum, day) => sum + day.partnerShare, 0n),
    requests: activity.reduce((sum, day) => sum + day.requests, 0),
    failures: errors.reduce((sum, { count }) => sum + count, 0),
  };
}

/** Against the 30 days before. */
function Change({ value, before }: { value: number; before: number }) {
  const change = describeGrowth(value, before);
  return change === null ? 'Nothing in the 30 days before' : `${change} on the 30 days before`;
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
