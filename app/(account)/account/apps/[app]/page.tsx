import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { requireSession } from '@/app/_session/session';
import { buttonClass } from '@/app/_ui/button';
import { describeDevice } from '@/app/_ui/describe-device';
import { Notice } from '@/app/_ui/notice';
import { PageHead } from '@/app/_ui/page-head';
import { PageLink } from '@/app/_ui/page-link';
import { Section } from '@/app/_ui/section';
import { Stat, Stats } from '@/app/_ui/stat';
import { Time } from '@/app/_ui/time';
import { creditsToJson } from '@/server/base/credits';
import { hasIdForm } from '@/server/base/ids';
import type { PocketLimit } from '@/server/ledger';
import { type AppOfUser, findAppOfUser } from '@/server/people/apps-of-user';
import { describeSpending } from '../../(skeleton)/apps/describe-spending';
import { Reason } from '../../(skeleton)/apps/reason';
import { LimitSections } from '../../(skeleton)/limits/limit-sections';
import { Raises } from '../../raises';
import { amountOf, inCredits, inDollars } from '../../show-credits';
import { Allowance } from './allowance';
import { KeyTable } from './key-table';
import { RunKeySection } from './run-key-section';
import { RunSection } from './run-section';

type Props = {
  params: Promise<{ app: string }>;
  searchParams: Promise<{ key?: string | string[]; page?: string | string[] }>;
};

const requireApp = cache(async ({ params }: Pick<Props, 'params'>): Promise<AppOfUser> => {
  const [{ userId }, { app }] = await Promise.all([requireSession(), params]);
  return (await findAppOfUser(userId, app)) ?? notFound();
});

export async function generateMetadata(props: Props): Promise<Metadata> {
  return { title: (await requireApp(props)).name };
}

/** One app: its credits, its allowance, its keys and its runs. */
export default async function AppPage(props: Props) {
  const [{ userId }, app, { key, page }] = await Promise.all([
    requireSession(),
    requireApp(props),
    props.searchParams,
  ]);
  // The user who follows the address in a 402 came for this key.
  const first = typeof key === 'string' && hasIdForm(key) ? key : null;
  const runKeys = (
    <RunKeySection
      userId={userId}
      partnerId={app.partnerId}
      appName={app.name}
      first={first}
      page={typeof page === 'string' && /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 1}
    />
  );
  return (
    <>
      <PageHead
        back={{ href: '/account/apps', label: 'Apps' }}
        title={app.name}
        description={
          <>
            Used since <Time at={app.since.toISOString()} withClock={false} />
          </>
        }
        actions={
          <PageLink
            href={`/account/activity?app=${app.partnerId}`}
            className={buttonClass({ look: 'secondary' })}
          >
            Activity
          </PageLink>
        }
      />
      <SpendingNotice app={app} />
      <Raises apps={[app]} />
      {first !== null && runKeys}
      <Figures app={app} />
      <Section
        title="Allowance"
        description={`How many of your other credits ${app.name} may spend once those bought in it are used up. You can change this at any time. The allowances of all your apps may add up to more than you have.`}
      >
        <Allowance
          partnerId={app.partnerId}
          appName={app.name}
          left={app.allowanceLeft === null ? null : creditsToJson(app.allowanceLeft)}
          paused={app.allowancePaused === null ? null : creditsToJson(app.allowancePaused)}
          isSuspended={app.isSuspended}
        />
      </Section>
      <LimitSections userId={userId} partnerId={app.partnerId} name={app.name} />
      <KeySection app={app} />
      {first === null && runKeys}
      <RunSection userId={userId} partnerId={app.partnerId} appName={app.name} />
    </>
  );
}

function Figures({ app }: { app: AppOfUser }) {
  const spendable = app.isSuspended ? 0n : app.balance;
  return (
    <Stats>
      <Stat
        label="Can spend now"
        {...amountOf(spendable)}
        note={app.isSuspended ? 'while it is disabled' : `worth ${inDollars(spendable)}`}
      />
      <Stat
        label="Bought in this app"
        {...amountOf(app.own)}
        note={app.own < 0n ? 'after a refund; your next purchase here repays it' : 'spent first'}
      />
      <Stat label="Allowance left" {...allowanceLeft(app)} note={describeAllowance(app)} />
    </Stats>
  );
}

function KeySection({ app }: { app: AppOfUser }) {
  return (
    <Section
      title="Keys"
      description={`${app.name} spends your credits with one key for each device you signed in on. A revoked key stops working immediately. A restricted one only works from networks or websites that you choose.`}
      flush
    >
      <KeyTable
        appName={app.name}
        rows={app.keys.map(({ keyId, last4, createdAt, lastUsedAt, userAgent, origins, networks }) => ({
          keyId,
          last4,
          device: userAgent === null ? 'Unknown device' : describeDevice(userAgent).name,
          createdAt: createdAt.toISOString(),
          lastUsedAt: lastUsedAt?.toISOString() ?? null,
          origins,
          networks,
        }))}
      />
    </Section>
  );
}

/** Why the app cannot spend. */
function SpendingNotice({ app }: { app: AppOfUser }) {
  const { reason, look } = describeSpending(app);
  if (reason === null) return null;
  return (
    <div className="mb-6">
      <Notice kind={look === 'warning' ? 'warning' : 'info'}>
        <Reason reason={reason} />
        {app.limit?.most != null && <LimitLink scope={app.limit.scope} />}
      </Notice>
    </div>
  );
}

/** Only the app can change a limit of its own. */
function LimitLink({ scope }: Pick<PocketLimit, 'scope'>) {
  if (scope === 'partner') return null;
  return (
    <>
      {' '}
      <PageLink
        href={scope === 'all' ? '/account/limits#limits' : '#limits'}
        className="font-medium underline"
      >
        Change the limit
      </PageLink>
    </>
  );
}

function allowanceLeft({ allowanceLeft, allowancePaused }: AppOfUser): { value: string; unit?: string } {
  if (allowancePaused !== null) return { value: 'Paused' };
  return allowanceLeft === null ? { value: 'None' } : amountOf(allowanceLeft);
}

function describeAllowance({ allowanceSaved, allowancePaused }: AppOfUser): string {
  if (allowancePaused !== null) return `with ${inCredits(allowancePaused)} left`;
  return allowanceSaved === null ? 'of other credits' : `of ${inCredits(allowanceSaved)} allowed`;
}
