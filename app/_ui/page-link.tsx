'use client';

import Link, { useLinkStatus } from 'next/link';
import type { ComponentProps } from 'react';

/**
 * A link to another page of ours. None is asked for before somebody follows it: each link in sight
 * would be a request to the server at every view, and one that is followed while its answer is on the
 * way may show a page without a title (vercel/next.js#98684).
 */
export function PageLink({ children, ...props }: ComponentProps<typeof Link>) {
  return (
    <Link prefetch={false} {...props}>
      {children}
      <OnTheWay />
    </Link>
  );
}

/** A line along the top of the window, when the page takes longer than a moment. */
function OnTheWay() {
  const { pending } = useLinkStatus();
  if (!pending) return null;
  return (
    <span
      data-testid="on-the-way"
      aria-hidden="true"
      className="fixed inset-x-0 top-0 z-50 h-0.5 origin-left animate-reach bg-accent"
    />
  );
}
