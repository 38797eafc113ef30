'use client';

import { writeCharge } from '@/app/_ui/amount';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { PageLink } from '@/app/_ui/page-link';
import { ROW_LINK } from '@/app/_ui/row-link';
import { Time } from '@/app/_ui/time';

/** Amounts are in credits. */
export type CorrectedRow = {
  requestId: string;
  at: string;
  model: string;
  appName: string;
  charged: number;
  credits: number;
};

const column = columnsOf<CorrectedRow>();

const COLUMNS = [
  column.accessor('at', {
    header: 'Time',
    cell: ({ row: { original: request } }) => (
      <PageLink href={`/account/activity/${request.requestId}`} className="block w-fit">
        <span className="sr-only">Receipt for the request at </span>
        <span className={`font-medium ${ROW_LINK}`}>
          <Time at={request.at} />
        </span>
        <span className="mt-0.5 block text-[13px] text-muted sm:hidden">
          <span className="block wrap-anywhere">{request.model}</span>
          {request.appName}
        </span>
      </PageLink>
    ),
  }),
  column.accessor('model', { header: 'Model' }),
  column.accessor('appName', { header: 'App' }),
  column.accessor('charged', { header: 'Charged', cell: ({ getValue }) => writeCharge(getValue()) }),
  column.accessor('credits', { header: 'Back', cell: ({ getValue }) => `+${writeCharge(getValue())}` }),
];

/** Each row links to its receipt. */
export function CorrectedTable({ rows }: { rows: CorrectedRow[] }) {
  return (
    <DataTable
      caption="Corrected requests, newest first"
      columns={COLUMNS}
      rows={rows}
      numeric={['charged', 'credits']}
      hiddenOnPhone={['model', 'appName']}
      empty={null}
    />
  );
}
