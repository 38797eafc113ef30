import type { Metadata } from 'next';
import { requireSession } from '@/app/_session/session';
import { PageHead } from '@/app/_ui/page-head';
import { PageLink } from '@/app/_ui/page-link';
import { Section } from '@/app/_ui/section';
import { ALL_APPS } from '@/server/ledger';
import { listAppsOfUser } from '@/server/people/apps-of-user';
import { listUserLimits } from '@/server/people/user-limits';
import { LimitBars } from './limit-bars';
import { LimitSections } from './limit-sections';
import { Mails } from './mails';

export const metadata: Metadata = { title: 'Limits' };

/** What all apps may spend together, the button that stops them, and the e-mails about spending. */
export default async function LimitsPage() {
  const { userId, email } = await requireSession();
  const [{ limits }, apps] = await Promise.all([listUserLimits(userId), listAppsOfUser(userId)]);
  const ofApps = limits.filter(({ partnerId }) => partnerId !== ALL_APPS);
  return (
    <>
      <PageHead
        title="Limits"
        description="How much apps may spend. A request must fit the limits of its app and those of all apps."
      />
      <LimitSections userId={userId} partnerId={ALL_APPS} name="all apps" />
      <Section title="Limits of individual apps" description="Set limits for a single app on its page.">
        {ofApps.length === 0 ? (
          <p className="text-sm text-muted">
            No app has limits of its own. Choose one under{' '}
            <PageLink href="/account/apps" className="underline">
              Apps
            </PageLink>{' '}
            to add them.
          </p>
        ) : (
          <ul className="grid gap-6">
            {ofApps.map((limit) => (
              <li key={limit.partnerId}>
                <PageLink
                  href={`/account/apps/${limit.partnerId}#limits`}
                  className="font-medium underline wrap-anywhere"
                >
                  {apps.find(({ partnerId }) => partnerId === limit.partnerId)?.name ?? 'App'}
                </PageLink>
                <div className="mt-2">
                  <LimitBars limit={limit} />
                </div>
              </li>
            ))}
          </ul>
        )}
      </Section>
      <Mails userId={userId} email={email} />
    </>
  );
}
