'use client';

import { columnsOf, DataTable } from '@/app/_ui/data-table';

type Row = {
  name: string;
  input: string;
  output: string;
  cacheRead: string;
  cacheWrite5m: string;
  cacheWrite1h: string;
};

/** USD per million tokens. */
export function PriceTable({ rows }: { rows: Row[] }) {
  const column = columnsOf<Row>();
  const columns = [
    column.accessor('name', { header: 'Prompt' }),
    column.accessor('input', { header: 'Input' }),
    column.accessor('output', { header: 'Output' }),
    column.accessor('cacheRead', { header: 'Cache read' }),
    column.accessor('cacheWrite5m', { header: 'Cache write' }),
    column.accessor('cacheWrite1h', { header: 'For an hour' }),
  ];
  return (
    <DataTable
      caption="Prices in USD per million tokens"
      columns={columns}
      rows={rows}
      numeric={['input', 'output', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h']}
      empty={null}
    />
  );
}
