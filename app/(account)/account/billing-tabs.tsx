'use client';

import { usePathname } from 'next/navigation';
import { PageLink } from '@/app/_ui/page-link';
import { BILLING_PAGES } from './billing-pages';

/** The pages about payments, above each of them. */
export function BillingTabs() {
  const path = usePathname();
  if (!BILLING_PAGES.some(({ href }) => href === path)) return null;
  return (
    <nav aria-label="Billing" className="-mt-2 mb-6 border-b border-line sm:mb-8">
      <ul className="-mb-px flex gap-5 overflow-x-auto text-sm">
        {BILLING_PAGES.map(({ href, label }) => (
          <li key={href}>
            <PageLink
              href={href}
              aria-current={href === path ? 'page' : undefined}
              className="flex h-11 items-center border-b-2 border-transparent whitespace-nowrap text-muted hover:text-text aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-text"
            >
              {label}
            </PageLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}
