'use client';

import { type ReactNode, useMemo } from 'react';
import { writeCharge } from '@/app/_ui/amount';
import { Badge } from '@/app/_ui/badge';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { ReceiptLink } from './receipt-link';
import type { RequestRow } from './request-row';

const column = columnsOf<RequestRow>();
const count = new Intl.NumberFormat('en');

const columnsFor = (path: string) => [
  column.accessor('at', {
    header: 'Time',
    cell: ({ row: { original: request } }) => (
      <ReceiptLink {...request} href={`${path}/${request.requestId}`}>
        <span className="mt-1 flex gap-2 sm:hidden">
          <Outcome {...request} />
        </span>
      </ReceiptLink>
    ),
  }),
  column.accessor('model', {
    header: 'Model',
    cell: ({ row: { original: request } }) => (
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="whitespace-nowrap">{request.model}</span>
        <Outcome {...request} />
      </span>
    ),
  }),
  column.accessor('appName', { header: 'App' }),
  column.accessor('inputTokens', { header: 'Tokens in', cell: ({ getValue }) => count.format(getValue()) }),
  column.accessor('outputTokens', { header: 'Tokens out', cell: ({ getValue }) => count.format(getValue()) }),
  column.accessor('credits', {
    header: 'Credits',
    cell: ({ getValue }) => writeCharge(getValue()),
  }),
];

/** Requests, newest first. Each row links to its receipt under `path`. */
export function RequestTable({ path, rows, empty }: { path: string; rows: RequestRow[]; empty: ReactNode }) {
  const columns = useMemo(() => columnsFor(path), [path]);
  return (
    <DataTable
      caption="Requests, newest first"
      columns={columns}
      rows={rows}
      numeric={['inputTokens', 'outputTokens', 'credits']}
      hiddenOnPhone={['model', 'appName']}
      hiddenWhenNarrow={['inputTokens', 'outputTokens']}
      empty={empty}
    />
  );
}

const OUTCOMES: Readonly<Record<string, string>> = { aborted: 'Stopped early', refused: 'Refused' };

function Outcome({ outcome, estimated }: RequestRow) {
  return (
    <>
      {outcome !== 'completed' && <Badge look="warning">{OUTCOMES[outcome] ?? 'Failed'}</Badge>}
      {estimated && <Badge>Estimated</Badge>}
    </>
  );
}
