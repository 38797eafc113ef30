import {
  Activity,
  AppWindow,
  Banknote,
  CircleAlert,
  Gauge,
  Gift,
  ScrollText,
  ShieldAlert,
  Tags,
  TrendingDown,
  Undo2,
  User,
  Users,
  Webhook,
} from 'lucide-react';
import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { readPageTexts } from '@/app/_session/page-texts';
import { PresenceDialog } from '@/app/_session/presence-dialog';
import { requireOperator } from '@/app/_session/session';
import { SignOutButton } from '@/app/_session/sign-out-button';
import { DashboardShell } from '@/app/_ui/dashboard-shell';
import { PageLink } from '@/app/_ui/page-link';
import { settings } from '@/server/base/env';

export const metadata: Metadata = { title: { default: 'Operator', template: '%s · Operator' } };

const ICON = { size: 17, 'aria-hidden': true } as const;

const PAGES = [
  { href: '/operator', label: 'Overview', icon: <Gauge {...ICON} /> },
  { href: '/operator/apps', label: 'Apps', icon: <AppWindow {...ICON} />, heading: 'People' },
  { href: '/operator/users', label: 'Users', icon: <Users {...ICON} /> },
  { href: '/operator/payments', label: 'Payments', icon: <CircleAlert {...ICON} />, heading: 'Operations' },
  { href: '/operator/payouts', label: 'Payouts', icon: <Banknote {...ICON} /> },
  { href: '/operator/promotions', label: 'Promotions', icon: <Gift {...ICON} /> },
  { href: '/operator/abuse', label: 'Abuse', icon: <ShieldAlert {...ICON} /> },
  { href: '/operator/corrections', label: 'Corrections', icon: <Undo2 {...ICON} /> },
  { href: '/operator/overruns', label: 'Overruns', icon: <TrendingDown {...ICON} /> },
  { href: '/operator/providers', label: 'Providers', icon: <Activity {...ICON} /> },
  { href: '/operator/webhooks', label: 'Webhooks', icon: <Webhook {...ICON} /> },
  { href: '/operator/models', label: 'Models and prices', icon: <Tags {...ICON} />, heading: 'Records' },
  { href: '/operator/log', label: 'Audit log', icon: <ScrollText {...ICON} /> },
];

/** For operators. Everyone else gets a 404. */
export default async function OperatorLayout({ children }: { children: ReactNode }) {
  const { email } = await requireOperator();
  return (
    <PresenceDialog texts={await readPageTexts('presence')}>
      <DashboardShell
        brand={settings().BRAND_NAME}
        area="Operator"
        items={PAGES}
        footer={<Footer email={email} />}
      >
        {children}
      </DashboardShell>
    </PresenceDialog>
  );
}

function Footer({ email }: { email: string }) {
  return (
    <div className="flex flex-col items-start gap-0.5">
      <PageLink
        href="/account"
        className="flex h-11 w-full items-center gap-3 rounded-lg px-3 text-muted hover:bg-sunken hover:text-text lg:h-8"
      >
        <User {...ICON} />
        Your account
      </PageLink>
      <div className="mt-2 w-full border-t border-line pt-3">
        <p className="truncate px-3 pb-1 text-[13px] text-muted" title={email}>
          {email}
        </p>
        <SignOutButton />
      </div>
    </div>
  );
}
