import type { ReactNode } from 'react';
import { buttonClass } from './button';
import { EmptyState } from './empty-state';
import { PageLink } from './page-link';

type Props = {
  /** Where to continue. */
  href: string;
  label: string;
  children: ReactNode;
};

/** Shown in place of a dashboard page for something that does not exist. */
export function PageNotFound({ href, label, children }: Props) {
  return (
    <>
      <h1 className="sr-only">Not found</h1>
      <EmptyState
        title="There is nothing here"
        action={
          <PageLink href={href} className={buttonClass({ look: 'secondary' })}>
            {label}
          </PageLink>
        }
      >
        {children}
      </EmptyState>
    </>
  );
}
