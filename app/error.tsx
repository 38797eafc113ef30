'use client';

import { Button } from './_ui/button';

export default function ErrorPage({ reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <main className="grid min-h-dvh place-content-center justify-items-center gap-3 p-8 text-center">
      <h1 className="text-2xl font-semibold">Something went wrong on our side</h1>
      <p className="max-w-sm text-muted">Nothing was charged by this page. Please try again.</p>
      <Button look="secondary" className="mt-3" onClick={reset}>
        Try again
      </Button>
    </main>
  );
}
