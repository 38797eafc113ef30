'use client';

import type { ReactNode } from 'react';
import { Button } from './button';
import { EmptyState } from './empty-state';
import { useTryAgain } from './use-try-again';

export type ErrorPageProps = { error: Error & { digest?: string }; reset: () => void };

/** Shown in place of a dashboard page that failed to load. */
export function PageError({ reset, children }: ErrorPageProps & { children?: ReactNode }) {
  const tryAgain = useTryAgain(reset);
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
          {children ?? (
            <>
              Either we are very busy or something went wrong on our side. Nothing was changed. Please try
              again in a moment, or see the{' '}
              <a href="/status" className="underline">
                status page
              </a>
              .
            </>
          )}
        </EmptyState>
      </div>
    </>
  );
}
