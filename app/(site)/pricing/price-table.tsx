'use client';

import { Search, SearchX } from 'lucide-react';
import { useDeferredValue, useMemo, useState } from 'react';
import { estimateCredits } from '@/server/pricing/estimate';
import { Button } from '../../_ui/button';
import { type Columns, columnsOf, DataTable } from '../../_ui/data-table';
import { EmptyState } from '../../_ui/empty-state';
import { SelectField } from '../../_ui/select-field';
import { formatRequestCredits, formatTokens, formatUsd } from '../parts/numbers';
import type { PriceRow } from '../parts/price-rows';
import { RequestSize, type Size } from './request-size';

export type Scope = 'served' | 'all';

type Props = {
  rows: PriceRow[];
  canChooseScope: boolean;
  initial: { q: string; provider: string; show: Scope };
};

const DEFAULT_SIZE: Size = { input: 2_500, output: 500, rate: 25 };
const BASIS_POINTS_PER_PERCENT = 100;
/** A page of rows is there at once; the rest is a click, or a search, away. */
const FIRST_ROWS = 40;

type Row = PriceRow & { credits: number };

const column = columnsOf<Row>();

const COLUMNS: Columns<Row> = [
  column.accessor('name', { header: 'Model', cell: ({ row }) => <ModelName row={row.original} /> }),
  column.accessor('contextWindow', { header: 'Context', cell: ({ getValue }) => formatTokens(getValue()) }),
  column.accessor('maxOutputTokens', {
    header: 'Longest answer',
    cell: ({ getValue }) => formatTokens(getValue()),
  }),
  column.accessor('input', {
    header: 'Input',
    cell: ({ row }) => <Price row={row.original} value={row.original.input} />,
  }),
  column.accessor('cacheRead', { header: 'Cached input', cell: ({ getValue }) => formatUsd(getValue()) }),
  column.accessor('output', {
    header: 'Output',
    cell: ({ row }) => <Price row={row.original} value={row.original.output} />,
  }),
  column.accessor('credits', {
    header: 'Your request',
    cell: ({ getValue }) => (
      <span className="font-medium">
        {formatRequestCredits(getValue())}
        <span className="text-xs font-normal text-muted max-sm:block sm:sr-only"> credits</span>
      </span>
    ),
  }),
];

const NUMERIC = ['contextWindow', 'maxOutputTokens', 'input', 'cacheRead', 'output', 'credits'];
/** The prices stand under the name there. */
const HIDDEN_ON_PHONE = ['contextWindow', 'maxOutputTokens', 'input', 'cacheRead', 'output'];

/** Every price, to search, filter, sort, and try on a request of one's own. */
export function PriceTable({ rows, canChooseScope, initial }: Props) {
  const [q, setQ] = useState(initial.q);
  const [provider, setProvider] = useState(initial.provider);
  const [show, setShow] = useState(initial.show);
  const [size, setSize] = useState(DEFAULT_SIZE);
  const [isWhole, setWhole] = useState(false);
  const wanted = useDeferredValue(q.trim().toLowerCase());
  const deferredSize = useDeferredValue(size);

  const inScope = useMemo(() => rows.filter(({ isServed }) => show === 'all' || isServed), [rows, show]);
  const providers = useMemo(() => [...new Set(inScope.map((row) => row.provider))].sort(), [inScope]);
  const chosen = providers.includes(provider) ? provider : '';
  const found = useMemo(
    () =>
      inScope
        .filter((row) => chosen === '' || row.provider === chosen)
        .filter((row) =>
          wanted.split(/\s+/).every((word) => `${row.id} ${row.name}`.toLowerCase().includes(word)),
        )
        .map((row) => ({ ...row, credits: creditsOf(row, deferredSize) })),
    [inScope, chosen, wanted, deferredSize],
  );

  const shown = useMemo(() => (isWhole ? found : found.slice(0, FIRST_ROWS)), [found, isWhole]);

  /** The address says what is shown, so that it can be sent to someone. */
  const keep = (next: { q?: string; provider?: string; show?: Scope }) => {
    const state = { q, provider: chosen, show, ...next };
    const query = new URLSearchParams(
      Object.entries({
        q: state.q.trim(),
        provider: state.provider,
        show: state.show === initial.show ? '' : state.show,
      }).filter(([, value]) => value !== ''),
    );
    window.history.replaceState(null, '', query.size === 0 ? window.location.pathname : `?${query}`);
  };

  return (
    <div className="mt-8">
      <RequestSize size={size} onChange={setSize} />
      <search className="mt-6 flex flex-wrap items-center gap-3">
        <label className="relative min-w-0 flex-1 basis-full sm:basis-0">
          <span className="sr-only">Search models</span>
          <Search
            size={16}
            aria-hidden="true"
            className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-muted"
          />
          <input
            type="search"
            value={q}
            placeholder="Search models"
            onChange={({ target }) => {
              setQ(target.value);
              keep({ q: target.value });
            }}
            className="h-11 w-full rounded-lg border border-field/60 bg-surface pr-3 pl-9 text-base placeholder:text-muted hover:border-field sm:h-10 sm:text-sm"
          />
        </label>
        <SelectField
          label="Provider"
          labelHidden
          value={chosen}
          onChange={({ target }) => {
            setProvider(target.value);
            keep({ provider: target.value });
          }}
          options={[
            { value: '', label: 'All providers' },
            ...providers.map((name) => ({ value: name, label: name })),
          ]}
          className="min-w-0 flex-1 sm:flex-none"
        />
        {canChooseScope && (
          <SelectField
            label="Which models"
            labelHidden
            value={show}
            onChange={({ target }) => {
              setShow(target.value as Scope);
              keep({ show: target.value as Scope });
            }}
            options={[
              { value: 'served', label: 'Served here' },
              { value: 'all', label: 'All models' },
            ]}
            className="min-w-0 flex-1 sm:flex-none"
          />
        )}
        <p role="status" className="basis-full text-sm text-muted sm:basis-auto">
          {found.length} {found.length === 1 ? 'model' : 'models'}
        </p>
      </search>
      <div className="mt-4 overflow-hidden rounded-xl border border-line bg-surface">
        <DataTable
          caption="Models and their prices in USD per million tokens"
          columns={COLUMNS}
          rows={shown}
          numeric={NUMERIC}
          hiddenOnPhone={HIDDEN_ON_PHONE}
          hiddenWhenNarrow={['maxOutputTokens']}
          sortable
          empty={
            <EmptyState
              icon={<SearchX size={20} aria-hidden="true" />}
              title="No model matches"
              action={
                <Button
                  look="secondary"
                  onClick={() => {
                    setQ('');
                    setProvider('');
                    keep({ q: '', provider: '' });
                  }}
                >
                  Show all models
                </Button>
              }
            >
              Ids are exact, such as openai/gpt-5.4. Try fewer letters, or another provider.
            </EmptyState>
          }
        />
        {shown.length < found.length && (
          <p className="border-t border-line p-3 text-center">
            <Button look="quiet" onClick={() => setWhole(true)}>
              Show all {found.length} models
            </Button>
          </p>
        )}
      </div>
    </div>
  );
}

/** The same function that a charge is computed with. */
function creditsOf({ prices }: PriceRow, { input, output, rate }: Size): number {
  return estimateCredits({ prices }, { input, output }, Math.round(rate * BASIS_POINTS_PER_PERCENT));
}

function ModelName({ row }: { row: Row }) {
  return (
    <div className="min-w-[130px] sm:max-w-[300px]">
      <p className="font-medium wrap-anywhere">{row.name}</p>
      <p className="mt-0.5 font-mono text-xs wrap-anywhere text-muted">{row.id}</p>
      <p className="mt-1 text-[13px] text-muted tabular-nums sm:hidden">
        {formatUsd(row.input)}
        {row.hasTiers && <TiersMark />} in · {formatUsd(row.output)}
        {row.hasTiers && <TiersMark />} out
      </p>
    </div>
  );
}

/** A plus hangs beside the column, so that the digits stay in line. */
function Price({ row, value }: { row: Row; value: number }) {
  return (
    <span className="relative">
      {formatUsd(value)}
      {row.hasTiers && (
        <span className="absolute left-full text-muted">
          <TiersMark />
        </span>
      )}
    </span>
  );
}

function TiersMark() {
  return (
    <>
      <span aria-hidden="true">+</span>
      <span className="sr-only">, more for long prompts</span>
    </>
  );
}
