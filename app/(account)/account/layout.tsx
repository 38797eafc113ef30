import {
  AppWindow,
  ChartColumn,
  Code,
  CreditCard,
  Database,
  Gauge,
  MessageSquare,
  MonitorSmartphone,
  Settings,
  ShieldCheck,
  Wallet,
} from 'lucide-react';
import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { readPageTexts } from '@/app/_session/page-texts';
import { PresenceDialog } from '@/app/_session/presence-dialog';
import { requireSession, type Session } from '@/app/_session/session';
import { SignOutButton } from '@/app/_session/sign-out-button';
import { DashboardShell } from '@/app/_ui/dashboard-shell';
import { PageLink } from '@/app/_ui/page-link';
import { ReaderZone } from '@/app/_ui/time';
import { settings } from '@/server/base/env';
import { isOperator } from '@/server/people/sessions';
import { findStopOfAllApps } from '@/server/people/user-limits';
import { BILLING } from './billing-pages';
import { BillingTabs } from './billing-tabs';
import { StopBanner } from './stop-banner';
import { ZoneNote } from './zone-note';

export const metadata: Metadata = { title: { default: 'Account', template: '%s · Account' } };

const ICON = { size: 17, 'aria-hidden': true } as const;

const PAGES = [
  { href: '/account', label: 'Overview', icon: <Wallet {...ICON} /> },
  { href: '/account/activity', label: 'Activity', icon: <ChartColumn {...ICON} /> },
  { href: '/account/apps', label: 'Apps', icon: <AppWindow {...ICON} /> },
  { href: '/account/playground', label: 'Playground', icon: <MessageSquare {...ICON} /> },
  { href: '/account/limits', label: 'Limits', icon: <Gauge {...ICON} /> },
  { href: '/account/devices', label: 'Devices', icon: <MonitorSmartphone {...ICON} /> },
  { ...BILLING, icon: <CreditCard {...ICON} /> },
  { href: '/account/data', label: 'Your data', icon: <Database {...ICON} /> },
  { href: '/account/settings', label: 'Settings', icon: <Settings {...ICON} /> },
];

/** What a user has, spent and allowed, across all apps. */
export default async function AccountLayout({ children }: { children: ReactNode }) {
  const session = await requireSession();
  // If it cannot be read, the page reports that it failed, with its navigation.
  const stoppedAt = await findStopOfAllApps(session.userId).catch(() => null);
  return (
    <PresenceDialog texts={await readPageTexts('presence')}>
      <DashboardShell
        brand={settings().BRAND_NAME}
        area="Account"
        items={PAGES}
        footer={<Footer session={session} />}
      >
        <ReaderZone value={session.timeZone}>
          {stoppedAt && <StopBanner at={stoppedAt.toISOString()} />}
          <BillingTabs />
          {children}
          <ZoneNote />
        </ReaderZone>
      </DashboardShell>
    </PresenceDialog>
  );
}

function Footer({ session }: { session: Session }) {
  const link =
    'flex h-11 w-full items-center gap-3 rounded-lg px-3 text-muted hover:bg-sunken hover:text-text lg:h-8';
  return (
    <div className="flex flex-col items-start gap-0.5">
      <PageLink href="/partner" className={link}>
        <Code {...ICON} />
        Partner dashboard
      </PageLink>
      {isOperator(session) && (
        <PageLink href="/operator" className={link}>
          <ShieldCheck {...ICON} />
          Operator
        </PageLink>
      )}
      <div className="mt-2 w-full border-t border-line pt-3">
        <p className="truncate px-3 pb-1 text-[13px] text-muted" title={session.email}>
          {session.email}
        </p>
        <SignOutButton />
      </div>
    </div>
  );
}
