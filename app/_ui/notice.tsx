import type { ReactNode } from 'react';

const LOOKS = {
  info: 'bg-sunken text-text',
  positive: 'bg-positive-soft text-positive',
  warning: 'bg-warning-soft text-warning',
  danger: 'bg-danger-soft text-danger',
};

/** A short message within the page. Problems are announced immediately, the rest politely. */
export function Notice({ kind = 'info', children }: { kind?: keyof typeof LOOKS; children: ReactNode }) {
  return (
    <div
      role={kind === 'danger' ? 'alert' : 'status'}
      className={`rounded-lg px-4 py-3 text-sm ${LOOKS[kind]}`}
    >
      {children}
    </div>
  );
}
