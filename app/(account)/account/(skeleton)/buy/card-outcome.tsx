import type { ReactNode } from 'react';
import { Notice } from '@/app/_ui/notice';
import { PageLink } from '@/app/_ui/page-link';
import type { Bought } from './use-card-payment';

type Props = {
  bought: Bought | null;
  failure: { message: string } | null;
  /** The other way to pay. */
  children: ReactNode;
};

/** What a click that pays with a saved card led to. */
export function CardOutcome({ bought, failure, children }: Props) {
  if (failure !== null)
    return (
      <div className="mb-4">
        <Notice kind="danger">
          {failure.message} {children}
        </Notice>
      </div>
    );
  if (bought === null) return null;
  return (
    <div className="mb-4">
      <Notice kind="positive">
        {bought.text}{' '}
        <PageLink href={bought.link.href} className="font-medium underline underline-offset-2">
          {bought.link.label}
        </PageLink>
      </Notice>
    </div>
  );
}
