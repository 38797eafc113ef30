'use client';

import Link from 'next/link';
import { Badge } from '@/app/_ui/badge';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { EmptyState } from '@/app/_ui/empty-state';
import { Time } from '@/app/_ui/time';
import { writeCharge } from '../../show-credits';
import type { RequestRow } from './request-row';

const column = columnsOf<RequestRow>();
const count = new Intl.NumberFormat('en');

const COLUMNS = [
  column.accessor('at', {
    header: 'Time',
    cell: ({ row: { original: request } }) => (
      <Link
        href={`/account/activity/${request.requestId}`}
        aria-label={`Receipt of the request of ${request.at}`}
        className="font-medium underline-offset-2 hover:underline"
      >
        <Time at={request.at} />
        <span className="block max-w-48 truncate text-[13px] font-normal text-muted sm:hidden">
          {request.model}
        </span>
      </Link>
    ),
  }),
  column.accessor('model', {
    header: 'Model',
    cell: ({ row: { original: request } }) => (
      <span className="flex items-center gap-2">
        <span className="whitespace-nowrap">{request.model}</span>
        {request.outcome !== 'completed' && (
          <Badge look="warning">{request.outcome === 'aborted' ? 'Stopped early' : 'Failed'}</Badge>
        )}
        {request.estimated && <Badge>Estimated</Badge>}
      </span>
    ),
  }),
  column.accessor('appName', { header: 'App' }),
  column.accessor('inputTokens', { header: 'In', cell: ({ getValue }) => count.format(getValue()) }),
  column.accessor('outputTokens', { header: 'Out', cell: ({ getValue }) => count.format(getValue()) }),
  column.accessor('credits', {
    header: 'Credits',
    cell: ({ getValue }) => writeCharge(getValue()),
  }),
];

/** Requests, newest first; each one leads to its receipt. */
export function RequestTable({ rows }: { rows: RequestRow[] }) {
  return (
    <DataTable
      caption="Requests, newest first"
      columns={COLUMNS}
      rows={rows}
      numeric={['inputTokens', 'outputTokens', 'credits']}
      hiddenOnPhone={['model', 'appName', 'inputTokens', 'outputTokens']}
      empty={
        <EmptyState title="No requests here">
          Nothing was used in this time with these filters. Choose a longer time or fewer filters.
        </EmptyState>
      }
    />
  );
}
