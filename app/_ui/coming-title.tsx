'use client';

import { usePathname } from 'next/navigation';
import { createContext, type ReactNode, useContext } from 'react';
import { findCurrent } from './find-current';

type Names = { pages: { href: string; label: string }[]; dashboard: string };

const NamesContext = createContext<Names>({ pages: [], dashboard: '' });

/** How a dashboard names its pages in the window's title, for the one that is on its way. */
export function TitleNames({ children, ...names }: Names & { children: ReactNode }) {
  return <NamesContext value={names}>{children}</NamesContext>;
}

/**
 * The title while a page is on its way: its own comes with it. Without one the tab shows an address,
 * and screen readers, which announce what they find when the page changes, would tell of no page.
 */
export function ComingTitle() {
  const { pages, dashboard } = useContext(NamesContext);
  const page = findCurrent(pages, usePathname());
  return <title>{page && page !== pages[0] ? `${page.label} · ${dashboard}` : dashboard}</title>;
}
