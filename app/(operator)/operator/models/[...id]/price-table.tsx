'use client';

import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { inUsd } from '../../write-amounts';

const HEADERS = {
  input: 'Input',
  output: 'Output',
  cacheRead: 'Cache read',
  cacheWrite5m: 'Cache write',
  cacheWrite1h: 'Cache write, 1 h',
};
const CLASSES = Object.keys(HEADERS) as (keyof typeof HEADERS)[];

type Row = Record<keyof typeof HEADERS, string> & { name: string };

const column = columnsOf<Row>();

const COLUMNS = [
  column.accessor('name', { header: 'Prompt' }),
  ...CLASSES.map((name) =>
    column.accessor(name, { header: HEADERS[name], cell: ({ getValue }) => inUsd(getValue()) }),
  ),
];

/** USD per million tokens. */
export function PriceTable({ version, rows }: { version: string; rows: Row[] }) {
  return (
    <DataTable
      caption={`Prices of ${version} in USD per million tokens`}
      columns={COLUMNS}
      rows={rows}
      numeric={CLASSES}
      empty={null}
      card={(row) => (
        <>
          <p className="mb-1.5 font-medium">{row.name}</p>
          <dl className="flex flex-col gap-1 tabular-nums">
            {CLASSES.map((name) => (
              <div key={name} className="flex justify-between gap-4">
                <dt className="text-muted">{HEADERS[name]}</dt>
                <dd>{inUsd(row[name])}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    />
  );
}
