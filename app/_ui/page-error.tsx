'use client';

import { useRouter } from 'next/navigation';
import { type ReactNode, startTransition } from 'react';
import { Button } from './button';
import { EmptyState } from './empty-state';

export type ErrorPageProps = { error: Error & { digest?: string }; reset: () => void };

/** In the place of a dashboard's page that could not be read. */
export function PageError({ reset, children }: ErrorPageProps & { children?: ReactNode }) {
  const router = useRouter();
  const tryAgain = () =>
    startTransition(() => {
      // The server has to be asked again: what it answered was the error.
      router.refresh();
      reset();
    });
  return (
    <>
      <h1 className="sr-only">Error</h1>
      <div role="alert">
        <EmptyState
          title="This page could not be loaded"
          action={
            <Button look="secondary" onClick={tryAgain}>
              Try again
            </Button>
          }
        >
          {children ?? 'Something went wrong on our side. Nothing was changed.'}
        </EmptyState>
      </div>
    </>
  );
}
