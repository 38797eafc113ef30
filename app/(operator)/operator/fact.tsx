import type { ReactNode } from 'react';

/** One named value in a grid of them (`dl`). */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-muted">{name}</dt>
      <dd className="mt-0.5 break-words">{children}</dd>
    </div>
  );
}
