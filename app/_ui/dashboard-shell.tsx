import type { ReactNode } from 'react';
import { DashboardMenu, DashboardNav, type NavItem } from './dashboard-nav';
import { PageLink } from './page-link';
import { TitleNames } from './pending-title';
import { ToastProvider } from './toasts';

type Props = {
  brand: string;
  /** Which dashboard this is: Account, Partner, Operator. */
  area: string;
  /** What follows a page's name in the window title, if not the area. */
  title?: string;
  items: NavItem[];
  /** Below the pages: other dashboards, the signed-in address, sign out. */
  footer: ReactNode;
  /** Above the pages, e.g. a switcher between apps. */
  switcher?: ReactNode;
  children: ReactNode;
};

/** The frame of all dashboards: pages on the left, or behind a menu button on phones. */
export function DashboardShell({ brand, area, title = area, items, footer, switcher, children }: Props) {
  const name = (
    <PageLink href="/" className="flex h-11 min-w-0 items-center gap-2.5 font-semibold lg:h-auto">
      <img src="/icon.svg" alt="" width="26" height="26" />
      {brand}
      <span className="truncate font-normal text-muted">{area}</span>
    </PageLink>
  );
  return (
    <ToastProvider>
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:top-3 focus:left-3 focus:z-50 focus:rounded-lg focus:bg-accent focus:px-4 focus:py-2 focus:text-on-accent"
      >
        Skip to content
      </a>
      <div className="mx-auto flex w-full max-w-[1320px]">
        <aside className="sticky top-0 hidden h-dvh w-60 shrink-0 flex-col gap-5 border-r border-line px-4 py-5 lg:flex">
          <div className="px-3">{name}</div>
          {switcher}
          {/* On a low screen the pages scroll, and signing out stays in view. */}
          <div className="-mx-4 min-h-0 flex-1 overflow-y-auto px-4">
            <DashboardNav items={items} />
          </div>
          <div className="text-sm">{footer}</div>
        </aside>
        <div className="min-w-0 flex-1">
          <div className="sticky top-0 z-30 flex h-14 items-center justify-between border-b border-line bg-page/95 px-4 backdrop-blur lg:hidden">
            {name}
            <DashboardMenu items={items} switcher={switcher} footer={footer} />
          </div>
          <main id="content" tabIndex={-1} className="px-4 py-6 outline-none sm:px-8 sm:py-10">
            <TitleNames pages={items.map(({ icon: _, ...page }) => page)} dashboard={title}>
              <div className="mx-auto max-w-[960px]">{children}</div>
            </TitleNames>
          </main>
        </div>
      </div>
    </ToastProvider>
  );
}
