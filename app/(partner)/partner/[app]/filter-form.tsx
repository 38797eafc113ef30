'use client';

import { useRouter } from 'next/navigation';
import { type ReactNode, useRef, useTransition } from 'react';

/** Filters that live in the address and apply as they are chosen. Without scripts, Enter applies. */
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
        // Text is applied with Enter, as a letter alone is no filter yet; its cross takes it away at once.
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
