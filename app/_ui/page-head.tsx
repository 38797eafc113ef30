import type { ReactNode } from 'react';
import { PageLink } from './page-link';

type Props = {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  /** The list that this page was opened from. */
  back?: { href: string; label: string };
};

/** The head of a dashboard page: its title, its description and its actions. */
export function PageHead({ title, description, actions, back }: Props) {
  return (
    <>
      {back && (
        <PageLink
          href={back.href}
          className="-mt-1 mb-2 inline-block py-1 text-sm text-muted hover:text-text hover:underline max-sm:-mt-4 max-sm:mb-1 max-sm:py-3"
        >
          ← {back.label}
        </PageLink>
      )}
      <header className="mb-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-4 sm:mb-8">
        <div className="min-w-0">
          {/* As tall as the buttons next to it. */}
          <h1 className="py-1 text-2xl font-semibold tracking-tight wrap-anywhere">{title}</h1>
          {description && <p className="mt-0.5 max-w-[68ch] text-muted">{description}</p>}
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
    </>
  );
}
