'use client';

import { Button } from '@/app/_ui/button';
import { EmptyState } from '@/app/_ui/empty-state';

/** A page that could not be read. Nothing was changed by looking at it. */
export default function AccountError({ reset }: { reset: () => void }) {
  return (
    <EmptyState
      title="This page could not be shown"
      action={
        <Button look="secondary" onClick={reset}>
          Try again
        </Button>
      }
    >
      Your credits are safe. Try again; if it stays like this, come back in a few minutes.
    </EmptyState>
  );
}
