import type { ReactNode } from 'react';

const LOOKS = {
  neutral: 'bg-sunken text-muted',
  positive: 'bg-positive-soft text-positive',
  warning: 'bg-warning-soft text-warning',
  danger: 'bg-danger-soft text-danger',
};

export type BadgeLook = keyof typeof LOOKS;

/** A state in one word. */
export function Badge({ look = 'neutral', children }: { look?: BadgeLook; children: ReactNode }) {
  return (
    <span
      className={`inline-flex h-6 items-center rounded-full px-2.5 text-xs font-medium whitespace-nowrap ${LOOKS[look]}`}
    >
      {children}
    </span>
  );
}
