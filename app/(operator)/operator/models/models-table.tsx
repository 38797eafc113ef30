'use client';

import { useRef, useState } from 'react';
import { Badge } from '@/app/_ui/badge';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageLink } from '@/app/_ui/page-link';
import { ROW_LINK } from '@/app/_ui/row-link';
import { useEarlyInput } from '@/app/_ui/use-early-input';
import { inNumber, inUsd } from '../write-amounts';

type Model = {
  id: string;
  type: string;
  served: boolean;
  input: string;
  output: string;
  cacheRead: string;
  /** Null if the model does not search the web. */
  webSearch: string | null;
  /** What is counted besides text tokens, such as $4.00 per 1,000 pages; null if nothing is. */
  inputUnit: string | null;
  outputUnit: string | null;
  context: number;
};

export function ModelsTable({ models }: { models: Model[] }) {
  const [search, setSearch] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEarlyInput(field);
  const words = search.toLowerCase().split(/\s+/);
  const found = models.filter(({ id, type }) =>
    words.every((word) => `${id} ${type}`.toLowerCase().includes(word)),
  );
  const column = columnsOf<Model>();
  const columns = [
    column.accessor('id', {
      header: 'Model',
      cell: ({ getValue }) => (
        <PageLink href={`/operator/models/${getValue()}`} className={`font-medium wrap-anywhere ${ROW_LINK}`}>
          {getValue()}
        </PageLink>
      ),
    }),
    column.accessor('served', {
      header: 'Served',
      cell: ({ getValue }) => (
        <Badge look={getValue() ? 'positive' : 'neutral'}>{getValue() ? 'Yes' : 'No key'}</Badge>
      ),
    }),
    column.accessor('input', {
      header: 'Input',
      cell: ({ row: { original } }) => <Price tokens={original.input} unit={original.inputUnit} />,
    }),
    column.accessor('output', {
      header: 'Output',
      cell: ({ row: { original } }) => <Price tokens={original.output} unit={original.outputUnit} />,
    }),
    column.accessor('cacheRead', {
      header: 'Cache read',
      cell: ({ getValue }) => <Price tokens={getValue()} unit={null} />,
    }),
    column.accessor('webSearch', {
      header: '1,000 searches',
      cell: ({ getValue }) => (getValue() === null ? '–' : inUsd(getValue() ?? '')),
    }),
    column.accessor('context', {
      header: 'Context',
      cell: ({ getValue }) => (getValue() === 0 ? '–' : inNumber(getValue())),
    }),
  ];
  return (
    <>
      <div className="p-5">
        <label className="block max-w-sm">
          <span className="sr-only">Search models</span>
          <input
            ref={field}
            type="search"
            placeholder="Search models"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
            className="h-11 w-full rounded-lg border border-field/60 bg-surface px-3 text-base hover:border-field sm:h-10 sm:text-sm"
          />
        </label>
      </div>
      <DataTable
        caption="Models"
        columns={columns}
        rows={found}
        numeric={['input', 'output', 'cacheRead', 'webSearch', 'context']}
        hiddenOnPhone={['served', 'cacheRead', 'webSearch', 'context']}
        empty={<EmptyState title="No models found">Search by part of the ID, such as sonnet.</EmptyState>}
      />
    </>
  );
}

function Price({ tokens, unit }: { tokens: string; unit: string | null }) {
  return (
    <>
      {tokens !== '0' && inUsd(tokens)}
      {unit !== null && <span className="block text-[13px] text-muted">{unit}</span>}
      {tokens === '0' && unit === null && '–'}
    </>
  );
}
