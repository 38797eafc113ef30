'use client';

import Link, { useLinkStatus } from 'next/link';
import type { ComponentProps } from 'react';

/**
 * A link to another page of ours, never prefetched: each visible link would cost a request on every
 * view, and following one while its prefetch is in flight may show a page without a title
 * (vercel/next.js#98684).
 */
export function PageLink({ children, ...props }: ComponentProps<typeof Link>) {
  return (
    <Link prefetch={false} {...props}>
      {children}
      <OnTheWay />
    </Link>
  );
}

/** A bar along the top of the window while a page takes longer than a moment. */
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
