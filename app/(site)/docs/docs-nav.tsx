'use client';

import { ChevronDown } from 'lucide-react';
import { usePathname } from 'next/navigation';
import { useRef } from 'react';
import { PageLink } from '@/app/_ui/page-link';
import type { NavGroup } from './navigation';
import { SearchBox } from './search-box';

/** The pages of the documentation, next to the text on wide screens. */
export function DocsNav({ groups }: { groups: NavGroup[] }) {
  return (
    <nav
      aria-label="Documentation"
      className="sticky top-16 hidden h-[calc(100dvh-4rem)] overflow-y-auto py-10 pr-2 lg:block"
    >
      <div className="mb-6">
        <SearchBox />
      </div>
      <Groups groups={groups} />
    </nav>
  );
}

/** The same list above the text on phones. It works without scripts. */
export function DocsMenu({ groups }: { groups: NavGroup[] }) {
  const path = usePathname();
  const details = useRef<HTMLDetailsElement>(null);
  const current = groups.flatMap(({ links }) => links).find(({ href }) => href === path);
  const close = () => details.current?.removeAttribute('open');
  return (
    <details
      ref={details}
      onKeyDown={({ key }) => key === 'Escape' && close()}
      className="group sticky top-16 z-20 -mx-5 border-b border-line bg-page sm:-mx-8 lg:hidden"
    >
      <summary className="flex h-12 list-none items-center justify-between gap-3 px-5 text-sm sm:px-8 [&::-webkit-details-marker]:hidden">
        <span>
          <span className="text-muted">Documentation</span>
          {current && <span className="font-medium"> / {current.label}</span>}
        </span>
        <ChevronDown
          size={16}
          aria-hidden="true"
          className="text-muted transition-transform group-open:rotate-180"
        />
      </summary>
      <nav
        aria-label="Documentation"
        className="max-h-[70dvh] overflow-y-auto border-t border-line px-3 py-4 sm:px-6"
      >
        <div className="mb-5 px-2">
          <SearchBox />
        </div>
        <Groups groups={groups} onChoose={close} />
      </nav>
    </details>
  );
}

function Groups({ groups, onChoose }: { groups: NavGroup[]; onChoose?: () => void }) {
  const path = usePathname();
  return (
    <ul className="grid gap-6">
      {groups.map(({ title, links }) => (
        <li key={title}>
          <p className="px-2 pb-1.5 text-[13px] font-medium">{title}</p>
          <ul>
            {links.map(({ href, label }) => (
              <li key={href}>
                <PageLink
                  href={href}
                  {...(onChoose && { onClick: onChoose })}
                  aria-current={path === href ? 'page' : undefined}
                  className="flex min-h-11 items-center rounded-lg px-2 text-sm text-muted hover:bg-sunken hover:text-text aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent lg:min-h-8"
                >
                  {label}
                </PageLink>
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}
