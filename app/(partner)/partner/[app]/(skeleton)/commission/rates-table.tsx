'use client';

import { Badge } from '@/app/_ui/badge';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { Time } from '@/app/_ui/time';

type Row = { id: number; percent: string; from: string; state: 'planned' | 'applied' };

const column = columnsOf<Row>();

const COLUMNS = [
  column.accessor('percent', {
    header: 'Rate',
    cell: ({ row: { original } }) => (
      <span className="flex items-center gap-2">
        {original.percent}%{original.state === 'planned' && <Badge>Scheduled</Badge>}
      </span>
    ),
  }),
  column.accessor('from', { header: 'From', cell: ({ getValue }) => <Time at={getValue()} /> }),
];

export function RatesTable({ rows }: { rows: Row[] }) {
  return <DataTable caption="Rates, newest first" columns={COLUMNS} rows={rows} empty={null} />;
}
