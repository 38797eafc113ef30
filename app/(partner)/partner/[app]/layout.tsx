import {
  Blocks,
  BookOpen,
  ChartNoAxesColumn,
  CircleAlert,
  Gauge,
  House,
  KeyRound,
  Landmark,
  List,
  Percent,
  Settings,
  Users,
  UsersRound,
  Wallet,
  Webhook,
} from 'lucide-react';
import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { readPageTexts } from '@/app/_session/page-texts';
import { PresenceDialog } from '@/app/_session/presence-dialog';
import { SignOutButton } from '@/app/_session/sign-out-button';
import type { NavItem } from '@/app/_ui/dashboard-nav';
import { DashboardShell } from '@/app/_ui/dashboard-shell';
import { Notice } from '@/app/_ui/notice';
import { PageLink } from '@/app/_ui/page-link';
import { settings } from '@/server/base/env';
import { type Partner, type PartnerState, stateOf } from '@/server/partners/partner';
import { hasRight, type Role } from '@/server/partners/rights';
import { listTeams } from '@/server/partners/teams';
import { AppSwitcher } from './app-switcher';
import { type AppParams, requireMember } from './require-app';

export async function generateMetadata(props: AppParams): Promise<Metadata> {
  const {
    app: { name },
  } = await requireMember(props);
  return { title: { default: name, template: `%s · ${name}` } };
}

type Props = AppParams & { children: ReactNode };

export default async function AppLayout({ params, children }: Props) {
  const { app, email, role } = await requireMember({ params });
  const teams = (await listTeams(email))
    .filter(({ apps }) => apps.length > 0)
    .map(({ name, apps }) => ({
      name,
      apps: apps.map((one) => ({ id: one.id, name: one.name })),
    }));
  return (
    <PresenceDialog texts={await readPageTexts('presence')}>
      <DashboardShell
        brand={settings().BRAND_NAME}
        area="Partner"
        title={app.name}
        items={pagesOf(app.id, role)}
        switcher={<AppSwitcher current={app.id} teams={teams} />}
        footer={<Footer email={email} />}
      >
        <StateNotice app={app} />
        {children}
      </DashboardShell>
    </PresenceDialog>
  );
}

function pagesOf(partnerId: string, role: Role): NavItem[] {
  const page = (path: string, label: string, Icon: typeof House, heading?: string): NavItem => ({
    href: `/partner/${partnerId}${path}`,
    label,
    icon: <Icon size={17} aria-hidden="true" />,
    ...(heading && { heading }),
  });
  return [
    page('', 'Home', House),
    page('/requests', 'Requests', List),
    page('/users', 'Users', Users),
    page('/errors', 'Errors', CircleAlert),
    page('/earnings', 'Earnings', ChartNoAxesColumn, 'Money'),
    ...(hasRight(role, 'see_payouts') ? [page('/payouts', 'Payouts', Landmark)] : []),
    page('/commission', 'Commission', Percent),
    page('/integration', 'Integration', KeyRound, 'Build'),
    page('/models', 'Models', Blocks),
    page('/limits', 'Limits', Gauge),
    page('/webhooks', 'Webhooks', Webhook),
    page('/settings', 'Settings', Settings, 'App'),
    page('/team', 'Team', UsersRound),
  ];
}

const FOOTER_LINK =
  'flex h-11 w-full items-center gap-3 rounded-lg px-3 text-muted hover:bg-sunken hover:text-text lg:h-8';

/** The visitor's own address. Partner pages show no e-mail addresses of users. */
function Footer({ email }: { email: string }) {
  return (
    <div className="flex flex-col items-start gap-0.5">
      <PageLink href="/docs" className={FOOTER_LINK}>
        <BookOpen size={17} aria-hidden="true" />
        Documentation
      </PageLink>
      <PageLink href="/account" className={FOOTER_LINK}>
        <Wallet size={17} aria-hidden="true" />
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

const STATES: Record<
  Exclude<PartnerState, 'enabled'>,
  { kind: 'info' | 'warning' | 'danger'; text: string }
> = {
  pending: {
    kind: 'info',
    text: 'This app is waiting for approval. You can set everything up now; its keys and checkout start working once it is approved.',
  },
  declined: {
    kind: 'danger',
    text: 'This app was not approved, so its keys and checkout do not work. Contact us if you think this is a mistake.',
  },
  paused: {
    kind: 'warning',
    text: 'Your team paused this app. Requests, sign-ins and purchases are refused, and webhooks wait, until you resume it in Settings.',
  },
  deleted: {
    kind: 'danger',
    text: 'Your team deleted this app. Its keys have ended. What it earned stays payable.',
  },
  disabled: {
    kind: 'danger',
    text: 'This app is disabled. Its keys and checkout do not work, and webhooks wait, until it is enabled again. Earnings and settings are kept.',
  },
};

function StateNotice({ app }: { app: Partner }) {
  const state = stateOf(app);
  if (state === 'enabled') return null;
  return (
    <div className="mb-6">
      <Notice kind={STATES[state].kind}>{STATES[state].text}</Notice>
    </div>
  );
}
