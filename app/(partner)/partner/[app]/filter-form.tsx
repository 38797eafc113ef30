'use client';

import { useRouter } from 'next/navigation';
import { type ReactNode, useRef, useTransition } from 'react';

/** Filters kept in the URL and applied on change. Without scripts, Enter applies them. */
export function FilterForm({ path, children }: { path: string; children: ReactNode }) {
  const router = useRouter();
  const form = useRef<HTMLFormElement>(null);
  const [isPending, startTransition] = useTransition();
  const apply = () => {
    if (form.current === null) return;
    const chosen = [...new FormData(form.current)].filter(([, value]) => value !== '') as [string, string][];
    const query = new URLSearchParams(chosen);
    startTransition(() => router.push(query.size === 0 ? path : `${path}?${query}`, { scroll: false }));
  };
  return (
    <form
      ref={form}
      action={path}
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
      onChange={(event) => {
        // Text is applied with Enter, since a single letter is not a filter yet. Clearing it applies
        // immediately.
        const isCleared = event.target instanceof HTMLInputElement && event.target.value === '';
        if (isCleared || event.target instanceof HTMLSelectElement) apply();
      }}
      aria-busy={isPending}
      className="flex flex-wrap items-center gap-2 transition-opacity aria-busy:opacity-60"
    >
      {children}
      <span role="status" className="sr-only">
        {isPending && 'Loading'}
      </span>
    </form>
  );
}
