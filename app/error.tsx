'use client';

import { Button, buttonClass } from './_ui/button';

type Props = { error: Error & { digest?: string }; reset: () => void };

/** The digest finds the failure in the log; its message stays there. */
export default function ErrorPage({ error: { digest }, reset }: Props) {
  return (
    <main className="mx-auto grid min-h-dvh w-full max-w-[520px] content-center gap-3 px-5 py-16">
      <h1 className="text-[30px] leading-tight font-semibold tracking-tight">
        Something went wrong on our side
      </h1>
      <p className="text-muted">Nothing was charged by this page. Please try again; if it stays, tell us.</p>
      {digest && (
        <p className="text-sm text-muted">
          Reference: <code className="font-mono text-text">{digest}</code>
        </p>
      )}
      <p className="mt-4 flex flex-wrap gap-3">
        <Button onClick={reset}>Try again</Button>
        <a href="/" className={buttonClass({ look: 'secondary' })}>
          Go to the front page
        </a>
      </p>
    </main>
  );
}
