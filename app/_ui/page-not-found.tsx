import type { ReactNode } from 'react';
import { buttonClass } from './button';
import { EmptyState } from './empty-state';
import { PageLink } from './page-link';

type Props = {
  /** Where to go on from here. */
  href: string;
  label: string;
  children: ReactNode;
};

/** In the place of a dashboard's page of something that is not there. */
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
