import type { ReactNode } from 'react';

/** One number that matters, with what it counts above and what qualifies it below. */
export function Stat({ label, value, note }: { label: string; value: ReactNode; note?: ReactNode }) {
  return (
    <div className="rounded-xl border border-line bg-surface p-5">
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="mt-1 text-2xl font-semibold tracking-tight tabular-nums">{value}</dd>
      {note && <dd className="mt-1 text-[13px] text-muted">{note}</dd>}
    </div>
  );
}

export function Stats({ children }: { children: ReactNode }) {
  return <dl className="mb-6 grid grid-cols-1 gap-3 min-[420px]:grid-cols-2 lg:grid-cols-4">{children}</dl>;
}
