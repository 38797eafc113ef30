'use client';

import { type ErrorPageProps, PageError } from '@/app/_ui/page-error';

/** Viewing a page changes nothing, so the credits are safe. */
export default function AccountError(props: ErrorPageProps) {
  return (
    <PageError {...props}>
      Your credits are safe. Either we are very busy or something went wrong on our side. Please try again in
      a moment.
    </PageError>
  );
}
