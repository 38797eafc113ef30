'use client';

import { Badge, type BadgeLook } from '@/app/_ui/badge';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageLink } from '@/app/_ui/page-link';
import { ROW_LINK } from '@/app/_ui/row-link';
import { Time } from '@/app/_ui/time';
import type { ListedPayment } from '@/server/operator/list-payments';

export type PaymentRow = Pick<ListedPayment, 'state' | 'method'> & {
  id: string;
  at: string;
  userHref: string;
  email: string;
  appName: string;
  amount: string;
  /** Empty if nothing was taken back. */
  reversed: string;
};

const STATES: Record<PaymentRow['state'], [BadgeLook, string]> = {
  paid: ['positive', 'Paid'],
  partly_refunded: ['neutral', 'Partially refunded'],
  refunded: ['neutral', 'Refunded'],
  disputed: ['warning', 'Disputed'],
  open: ['neutral', 'Open'],
  failed: ['neutral', 'Failed'],
  expired: ['neutral', 'Expired'],
};

const METHODS: Record<PaymentRow['method'], string> = {
  form: 'Payment form',
  saved_card: 'Saved card',
  auto_top_up: 'Auto top-up',
};

const column = columnsOf<PaymentRow>();

const COLUMNS = [
  column.accessor('at', {
    header: 'Began',
    cell: ({ row: { original } }) => (
      <>
        <Time at={original.at} />
        <span className="block font-mono text-[13px] text-muted">{original.id}</span>
      </>
    ),
  }),
  column.accessor('email', { header: 'User', cell: ({ row: { original } }) => <UserLink {...original} /> }),
  column.accessor('appName', { header: 'App' }),
  column.accessor('method', {
    header: 'Paid with',
    cell: ({ row: { original } }) => METHODS[original.method],
  }),
  column.accessor('state', {
    header: 'State',
    cell: ({ row: { original } }) => <StateBadge {...original} />,
  }),
  column.accessor('amount', {
    header: 'Amount',
    cell: ({ row: { original } }) => <Amount {...original} />,
  }),
];

export function PaymentTable({ rows, isFiltered }: { rows: PaymentRow[]; isFiltered: boolean }) {
  return (
    <DataTable
      caption="Payments, newest first"
      columns={COLUMNS}
      rows={rows}
      numeric={['amount']}
      hiddenWhenNarrow={['method']}
      empty={
        isFiltered ? (
          <EmptyState title="No payments found">Choose another state, app, user or period.</EmptyState>
        ) : (
          <EmptyState title="No payments yet">Purchases appear here from the moment they begin.</EmptyState>
        )
      }
      card={(payment) => (
        <>
          <p className="flex justify-between gap-4">
            <UserLink {...payment} />
            <span className="text-right tabular-nums">
              <Amount {...payment} />
            </span>
          </p>
          <p className="mt-1 text-muted">
            {payment.appName} · <Time at={payment.at} />
          </p>
          <p className="mt-1.5">
            <StateBadge {...payment} />
          </p>
        </>
      )}
    />
  );
}

function UserLink({ userHref, email }: PaymentRow) {
  return (
    <PageLink href={userHref} className={`font-medium wrap-anywhere ${ROW_LINK}`}>
      {email}
    </PageLink>
  );
}

function StateBadge({ state }: PaymentRow) {
  const [look, words] = STATES[state];
  return <Badge look={look}>{words}</Badge>;
}

function Amount({ amount, reversed }: PaymentRow) {
  return (
    <>
      {amount}
      {reversed && <span className="block text-[13px] font-normal text-muted">{reversed} taken back</span>}
    </>
  );
}
