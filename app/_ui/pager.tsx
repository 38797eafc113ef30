import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { buttonClass } from './button';
import { PageLink } from './page-link';

type Props = {
  /** URLs of the neighbouring pages; undefined at either end of the list. */
  newer?: string | undefined;
  older?: string | undefined;
  /** Which part of the list this is, e.g. "1–50 of 200,312". */
  position: string;
};

/** The part of a list that a page shows: `51–100 of 2,310`. */
export function positionOf({ page, rows, total }: { page: number; rows: number; total: number }): string {
  const count = (value: number) => value.toLocaleString('en');
  const first = Math.min((page - 1) * rows + 1, total);
  return `${count(first)}–${count(Math.min(page * rows, total))} of ${count(total)}`;
}

/** Steps through a long list, newest first. */
export function Pager({ newer, older, position }: Props) {
  if (newer === undefined && older === undefined) return null;
  return (
    <nav
      aria-label="Pages"
      className="flex items-center justify-between gap-3 border-t border-line px-5 py-3 text-sm text-muted"
    >
      <span className="tabular-nums">{position}</span>
      <span className="flex gap-2">
        <Step href={newer}>
          <ChevronLeft size={16} aria-hidden="true" />
          Newer
        </Step>
        <Step href={older}>
          Older
          <ChevronRight size={16} aria-hidden="true" />
        </Step>
      </span>
    </nav>
  );
}

function Step({ href, children }: { href: string | undefined; children: ReactNode }) {
  const look = buttonClass({ look: 'secondary', size: 'small' });
  if (href === undefined)
    return (
      <span aria-disabled="true" className={`${look} opacity-50`}>
        {children}
      </span>
    );
  return (
    <PageLink href={href} className={look}>
      {children}
    </PageLink>
  );
}
