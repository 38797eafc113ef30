'use client';

import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { PageLink } from '@/app/_ui/page-link';
import { ROW_LINK } from '@/app/_ui/row-link';
import { Time } from '@/app/_ui/time';
import type { ListedPayout } from '@/server/payments/payouts/operator-list';
import { PayoutBadge } from './payout-badge';

export type PayoutRow = Pick<ListedPayout, 'id' | 'teamName' | 'method' | 'state' | 'attention'> & {
  period: string;
  amount: string;
  reference: string;
  at: string;
};

const column = columnsOf<PayoutRow>();

const COLUMNS = [
  column.accessor('period', {
    header: 'Period',
    cell: ({ row: { original } }) => <PayoutLink {...original} />,
  }),
  column.accessor('teamName', {
    header: 'Team',
    cell: ({ getValue }) => <span className="wrap-anywhere">{getValue()}</span>,
  }),
  column.accessor('state', {
    header: 'State',
    cell: ({ row: { original } }) => <PayoutBadge {...original} />,
  }),
  column.accessor('method', { header: 'Method', cell: ({ getValue }) => METHODS[getValue()] }),
  column.accessor('reference', {
    header: 'Reference',
    cell: ({ getValue }) => <span className="font-mono text-[13px] wrap-anywhere">{getValue()}</span>,
  }),
  column.accessor('at', {
    header: 'Planned',
    cell: ({ getValue }) => <Time at={getValue()} withClock={false} />,
  }),
  column.accessor('amount', { header: 'Amount' }),
];

const METHODS = { manual: 'By hand', stripe: 'Stripe' } as const;

export function PayoutTable({ rows, empty }: { rows: PayoutRow[]; empty: React.ReactNode }) {
  return (
    <DataTable
      caption="Payouts, newest first"
      columns={COLUMNS}
      rows={rows}
      numeric={['amount']}
      hiddenWhenNarrow={['method', 'reference']}
      empty={empty}
      card={(payout) => (
        <>
          <p className="flex justify-between gap-4">
            <PayoutLink {...payout} />
            <span className="tabular-nums">{payout.amount}</span>
          </p>
          <p className="mt-0.5 wrap-anywhere text-muted">{payout.teamName}</p>
          <p className="mt-1.5">
            <PayoutBadge {...payout} />
          </p>
        </>
      )}
    />
  );
}

function PayoutLink({ id, period, teamName }: PayoutRow) {
  return (
    <PageLink href={`/operator/payouts/${id}`} className={`font-medium ${ROW_LINK}`}>
      {period}
      <span className="sr-only">, {teamName}</span>
    </PageLink>
  );
}
