'use client';

import { Badge } from '@/app/_ui/badge';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { EmptyState } from '@/app/_ui/empty-state';
import { Time } from '@/app/_ui/time';

type Age = {
  provider: string;
  served: boolean;
  models: number;
  pricedAt: string;
  ageDays: number;
  oldModels: number;
};

const column = columnsOf<Age>();

const COLUMNS = [
  column.accessor('provider', { header: 'Provider' }),
  column.accessor('served', {
    header: 'Served',
    cell: ({ getValue }) => (
      <Badge look={getValue() ? 'positive' : 'neutral'}>{getValue() ? 'Yes' : 'No key'}</Badge>
    ),
  }),
  column.accessor('models', { header: 'Models' }),
  column.accessor('pricedAt', {
    header: 'Oldest price',
    cell: ({ getValue }) => <Time at={`${getValue()}T00:00:00Z`} isDay withClock={false} />,
  }),
  column.accessor('ageDays', { header: 'Days old' }),
  column.accessor('oldModels', { header: 'Too old' }),
];

export function PriceAgesTable({ ages }: { ages: Age[] }) {
  return (
    <DataTable
      caption="Age of the prices by provider"
      columns={COLUMNS}
      rows={ages}
      numeric={['models', 'ageDays', 'oldModels']}
      hiddenOnPhone={['served', 'models', 'oldModels']}
      empty={<EmptyState title="No prices">Only your own prices and those of the sandbox.</EmptyState>}
    />
  );
}
