'use client';

import { type ErrorPageProps, PageError } from '@/app/_ui/page-error';

/** Nothing was changed by looking at a page. */
export default function AccountError(props: ErrorPageProps) {
  return (
    <PageError {...props}>
      Your credits are safe. Try again; if it stays like this, come back in a few minutes.
    </PageError>
  );
}
