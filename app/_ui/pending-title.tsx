'use client';

import { usePathname } from 'next/navigation';
import { createContext, type ReactNode, useContext } from 'react';
import { findCurrent, type NavItem } from './dashboard-nav';

type Names = { pages: Omit<NavItem, 'icon'>[]; dashboard: string };

const NamesContext = createContext<Names>({ pages: [], dashboard: '' });

/** The parts of a dashboard's window title, for a page that is still loading. */
export function TitleNames({ children, ...names }: Names & { children: ReactNode }) {
  return <NamesContext value={names}>{children}</NamesContext>;
}

/**
 * The title while a page loads; the page itself brings the final one. Without it the tab would show a
 * URL, and screen readers, which announce the title after navigation, would announce nothing.
 */
export function PendingTitle() {
  const { pages, dashboard } = useContext(NamesContext);
  const page = findCurrent(pages, usePathname());
  return <title>{page && page !== pages[0] ? `${page.label} · ${dashboard}` : dashboard}</title>;
}
