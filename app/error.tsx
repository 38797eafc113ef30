'use client';

import { Button, buttonClass } from './_ui/button';
import type { ErrorPageProps } from './_ui/page-error';
import { useTryAgain } from './_ui/use-try-again';

/** The digest finds the failure in the log; its message stays there. */
export default function ErrorPage({ error: { digest }, reset }: ErrorPageProps) {
  const tryAgain = useTryAgain(reset);
  return (
    <main className="mx-auto grid min-h-dvh w-full max-w-[520px] content-center gap-3 px-5 py-16">
      <h1 className="text-[30px] leading-tight font-semibold tracking-tight">
        This page could not be loaded
      </h1>
      <p className="text-muted">
        Either we are very busy or something went wrong on our side. You were not charged. Please try again in
        a moment. If the problem persists, contact us.
      </p>
      {digest && (
        <p className="text-sm text-muted">
          Reference: <code className="font-mono text-text">{digest}</code>
        </p>
      )}
      <p className="mt-4 flex flex-wrap gap-3">
        <Button onClick={tryAgain}>Try again</Button>
        <a href="/" className={buttonClass({ look: 'secondary' })}>
          Go to the home page
        </a>
      </p>
    </main>
  );
}
