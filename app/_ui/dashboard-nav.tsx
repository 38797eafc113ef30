'use client';

import { Dialog } from '@base-ui/react/dialog';
import { Menu, X } from 'lucide-react';
import { usePathname } from 'next/navigation';
import { type ReactNode, useState } from 'react';
import { BACKDROP } from './dialog';
import { PageLink } from './page-link';

/** A page of a dashboard. The first one's path is the dashboard's own and matches exactly. */
export type NavItem = {
  href: string;
  label: string;
  icon: ReactNode;
  /** Paths of further pages that belong to it. */
  others?: readonly string[];
  /** Starts a group of pages under this heading. */
  heading?: string;
};

/** The pages of a dashboard: a column on wide screens. */
export function DashboardNav({ items }: { items: NavItem[] }) {
  return (
    <nav aria-label="Dashboard">
      <NavList items={items} />
    </nav>
  );
}

type MenuProps = { items: NavItem[]; switcher: ReactNode; footer: ReactNode };

/** The same behind a button, for phones. */
export function DashboardMenu({ items, switcher, footer }: MenuProps) {
  const path = usePathname();
  const [isOpen, setOpen] = useState(false);
  const [shownPath, setShownPath] = useState(path);
  // Stays open until the chosen page has loaded, because it holds the link's progress indicator.
  if (path !== shownPath) {
    setShownPath(path);
    setOpen(false);
  }
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Trigger
        aria-label="Open menu"
        className="-mr-2 grid size-11 place-items-center rounded-lg hover:bg-sunken"
      >
        <Menu size={20} aria-hidden="true" />
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className={BACKDROP} />
        <Dialog.Popup className="fixed inset-y-0 right-0 z-50 flex w-[min(300px,86vw)] flex-col gap-5 overflow-y-auto border-l border-line bg-surface p-5 transition data-[ending-style]:translate-x-4 data-[ending-style]:opacity-0 data-[starting-style]:translate-x-4 data-[starting-style]:opacity-0">
          <div className="flex items-center justify-between">
            <Dialog.Title className="font-semibold">Menu</Dialog.Title>
            <Dialog.Close
              aria-label="Close menu"
              className="-mr-2 grid size-11 place-items-center rounded-lg hover:bg-sunken"
            >
              <X size={20} aria-hidden="true" />
            </Dialog.Close>
          </div>
          {switcher}
          <nav aria-label="Dashboard">
            <NavList items={items} onCurrent={() => setOpen(false)} />
          </nav>
          <div className="mt-auto text-sm">{footer}</div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function NavList({ items, onCurrent }: { items: NavItem[]; onCurrent?: () => void }) {
  const path = usePathname();
  const current = findCurrent(items, path);
  return (
    <ul className="flex flex-col gap-0.5 lg:[@media(max-height:820px)]:gap-0">
      {items.map(({ href, label, icon, heading }) => (
        <li key={href}>
          {heading && (
            <p className="px-3 pt-3 pb-1 text-xs font-medium text-muted lg:[@media(max-height:820px)]:pt-2 lg:[@media(max-height:820px)]:pb-0.5 lg:[@media(max-height:760px)]:h-2 lg:[@media(max-height:760px)]:overflow-hidden lg:[@media(max-height:760px)]:p-0">
              {heading}
            </p>
          )}
          <PageLink
            href={href}
            {...(onCurrent && path === href && { onClick: onCurrent })}
            aria-current={href === current?.href ? 'page' : undefined}
            className="flex h-11 items-center gap-3 rounded-lg px-3 text-[15px] text-muted hover:bg-sunken hover:text-text aria-[current=page]:bg-sunken aria-[current=page]:font-medium aria-[current=page]:text-text forced-colors:aria-[current=page]:underline lg:h-8 lg:text-sm lg:[@media(max-height:820px)]:h-7"
          >
            {icon}
            {label}
          </PageLink>
        </li>
      ))}
    </ul>
  );
}

/**
 * The page of a dashboard that a path belongs to. The first page's path is the dashboard's own and
 * matches exactly.
 */
export function findCurrent<Page extends Pick<NavItem, 'href' | 'others'>>(
  pages: readonly Page[],
  path: string,
): Page | undefined {
  const [first, ...rest] = pages;
  if (path === first?.href) return first;
  const isWithin = (href: string) => path === href || path.startsWith(`${href}/`);
  return rest.find(({ href, others = [] }) => [href, ...others].some(isWithin));
}
