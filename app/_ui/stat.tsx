import type { ReactNode } from 'react';
import { PageLink } from './page-link';

type Props = {
  label: string;
  value: ReactNode;
  /** The unit, smaller, next to the value. */
  unit?: string;
  /** A qualification below the value. */
  note?: ReactNode;
  /** The list behind the number, which a click anywhere on it opens. */
  href?: string;
};

/** One important number, with its label above and a qualification below. */
export function Stat({ label, value, unit, note, href }: Props) {
  return (
    <div
      className={`relative min-w-0 rounded-xl border border-line bg-surface p-4 sm:p-5 ${href ? 'hover:bg-sunken' : ''}`}
    >
      <dt className="text-[13px] text-muted sm:text-sm">
        {href ? (
          <PageLink href={href} className="after:absolute after:inset-0 after:rounded-xl hover:text-text">
            {label}
          </PageLink>
        ) : (
          label
        )}
      </dt>
      <dd className="mt-1 text-xl font-semibold tracking-tight wrap-anywhere tabular-nums sm:text-2xl">
        {value}
        {unit && <span className="text-sm font-normal tracking-normal text-muted sm:text-base"> {unit}</span>}
      </dd>
      {note && <dd className="mt-1 text-[13px] text-muted">{note}</dd>}
    </div>
  );
}

/** Two per row on phones; three by themselves fill their row elsewhere. */
export function Stats({ children }: { children: ReactNode }) {
  return (
    <dl className="mb-6 grid grid-cols-2 gap-3 max-sm:has-[>:nth-child(3):last-child]:[&>:last-child]:col-span-2 sm:has-[>:nth-child(3):last-child]:grid-cols-3 lg:grid-cols-4 lg:has-[>:nth-child(9):last-child]:grid-cols-3">
      {children}
    </dl>
  );
}
