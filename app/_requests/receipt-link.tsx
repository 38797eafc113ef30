import type { ReactNode } from 'react';
import { PageLink } from '@/app/_ui/page-link';
import { ROW_LINK } from '@/app/_ui/row-link';
import { Time } from '@/app/_ui/time';

type Props = { href: string; at: string; model: string; appName: string; children?: ReactNode };

/** The first cell of a row that is a request: its time, which links to its receipt. On a phone, also its model and app. */
export function ReceiptLink({ href, at, model, appName, children }: Props) {
  return (
    <PageLink href={href} className="block w-fit">
      <span className="sr-only">Receipt for the request at </span>
      <span className={`font-medium ${ROW_LINK}`}>
        <Time at={at} />
      </span>
      <span className="mt-0.5 block text-[13px] text-muted sm:hidden">
        <span className="block wrap-anywhere">{model}</span>
        {appName}
      </span>
      {children}
    </PageLink>
  );
}
