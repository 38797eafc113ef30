'use client';

import { Button } from '@/app/_ui/button';
import { EmptyState } from '@/app/_ui/empty-state';

export default function ErrorPage({ reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <EmptyState
      title="This page could not be loaded"
      action={
        <Button look="secondary" onClick={reset}>
          Try again
        </Button>
      }
    >
      Something went wrong on our side. Nothing was changed.
    </EmptyState>
  );
}
