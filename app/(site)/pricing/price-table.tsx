'use client';

import { SearchX } from 'lucide-react';
import { useDeferredValue, useMemo, useState } from 'react';
import { estimateCredits } from '@/server/gateway/pricing/estimate';
import { describeUnitPrice, describeUnitPrices } from '@/server/gateway/pricing/unit-words';
import { Button } from '../../_ui/button';
import { type Columns, columnsOf, DataTable } from '../../_ui/data-table';
import { EmptyState } from '../../_ui/empty-state';
import { formatRequestCredits, formatTokens, formatUsd } from '../parts/numbers';
import type { PriceRow } from '../parts/price-rows';
import { findRows, inScope, type PriceFilter, writeFilter } from './price-filter';
import { PriceFilters } from './price-filters';
import { RequestSize, type Size } from './request-size';

type Props = {
  rows: PriceRow[];
  canChooseScope: boolean;
  initial: PriceFilter;
};

const DEFAULT_SIZE: Size = { input: 2_500, output: 500, rate: 25 };
const BASIS_POINTS_PER_PERCENT = 100;
/** The rows shown at first, so that the page loads fast; a button shows the rest. */
const FIRST_ROWS = 40;

type Row = PriceRow & { credits: number };

const column = columnsOf<Row>();

/** Others write no text. */
const hasOutput = ({ type }: Row): boolean => type === 'language';

const COLUMNS: Columns<Row> = [
  column.accessor('name', { header: 'Model', cell: ({ row }) => <ModelName row={row.original} /> }),
  column.accessor('contextWindow', {
    header: 'Context',
    cell: ({ getValue }) => (getValue() === 0 ? '–' : formatTokens(getValue())),
  }),
  column.accessor('maxOutputTokens', {
    header: 'Max output',
    cell: ({ row, getValue }) => (hasOutput(row.original) ? formatTokens(getValue()) : '–'),
  }),
  column.accessor('input', {
    header: 'Input',
    cell: ({ row }) => <Price row={row.original} side="input" />,
  }),
  column.accessor('cacheRead', {
    header: 'Cached input',
    cell: ({ row, getValue }) => (hasOutput(row.original) ? formatUsd(getValue()) : '–'),
  }),
  column.accessor('output', {
    header: 'Output',
    cell: ({ row }) => <Price row={row.original} side="output" />,
  }),
  column.accessor('credits', {
    header: 'Your request',
    cell: ({ row, getValue }) => (
      <>
        <span className="font-medium">
          {formatRequestCredits(getValue())}
          <span className="text-xs font-normal text-muted max-sm:block sm:sr-only"> credits</span>
        </span>
        {row.original.example && (
          <span className="block text-xs text-muted">{row.original.example.what}</span>
        )}
      </>
    ),
  }),
];

const NUMERIC = ['contextWindow', 'maxOutputTokens', 'input', 'cacheRead', 'output', 'credits'];
/** Phones show the prices under the name instead. */
const HIDDEN_ON_PHONE = ['contextWindow', 'maxOutputTokens', 'input', 'cacheRead', 'output'];

/** The prices of all models, to search, filter and sort, and to apply to a request of any size. */
export function PriceTable({ rows, canChooseScope, initial }: Props) {
  const [size, setSize] = useState(DEFAULT_SIZE);
  const [isWhole, setWhole] = useState(false);
  const { filter, change, providers, found } = usePriceFilter(rows, initial);
  const deferredSize = useDeferredValue(size);
  const shown = useMemo(
    () =>
      (isWhole ? found : found.slice(0, FIRST_ROWS)).map((row) => ({
        ...row,
        credits: creditsOf(row, deferredSize),
      })),
    [found, isWhole, deferredSize],
  );
  return (
    <div className="mt-8">
      <RequestSize size={size} onChange={setSize} />
      <PriceFilters
        filter={filter}
        providers={providers}
        canChooseScope={canChooseScope}
        count={found.length}
        onChange={change}
      />
      <div className="mt-4 overflow-hidden rounded-xl border border-line bg-surface">
        <DataTable
          caption="Models and their prices in USD per million tokens"
          columns={COLUMNS}
          rows={shown}
          numeric={NUMERIC}
          hiddenOnPhone={HIDDEN_ON_PHONE}
          hiddenWhenNarrow={['maxOutputTokens']}
          sortable
          empty={<NoMatch onReset={() => change({ q: '', provider: '', rule: '' })} />}
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

/** The rows that match the filter. The URL follows it, so that a search can be shared. */
function usePriceFilter(rows: PriceRow[], initial: PriceFilter) {
  const [chosen, setChosen] = useState(initial);
  const { q, rule, show } = chosen;
  const scope = useMemo(() => inScope(rows, show), [rows, show]);
  const provider = scope.providers.includes(chosen.provider) ? chosen.provider : '';
  const words = useDeferredValue(q);
  const found = useMemo(
    () => findRows(scope.rows, { q: words, provider, rule }),
    [scope, words, provider, rule],
  );
  const change = (next: Partial<PriceFilter>) => {
    const filter = { q, provider, rule, show, ...next };
    setChosen(filter);
    const query = writeFilter(filter, initial.show);
    window.history.replaceState(null, '', query === '' ? window.location.pathname : `?${query}`);
  };
  return { filter: { q, provider, rule, show }, change, providers: scope.providers, found };
}

function NoMatch({ onReset }: { onReset(): void }) {
  return (
    <EmptyState
      icon={<SearchX size={20} aria-hidden="true" />}
      title="No models match"
      action={
        <Button look="secondary" onClick={onReset}>
          Show all models
        </Button>
      }
    >
      IDs are exact, such as openai/gpt-5.4. Try fewer letters or a different provider.
    </EmptyState>
  );
}

/** Computed by the function that also computes charges. */
function creditsOf({ prices, example }: PriceRow, { input, output, rate }: Size): number {
  return estimateCredits(
    { prices },
    example?.usage ?? { input, output },
    Math.round(rate * BASIS_POINTS_PER_PERCENT),
  );
}

function ModelName({ row }: { row: Row }) {
  return (
    <div className="min-w-[130px] sm:max-w-[300px]">
      <p className="font-medium wrap-anywhere">{row.name}</p>
      <p className="mt-0.5 font-mono text-xs wrap-anywhere text-muted">{row.id}</p>
      <p className="mt-1 text-[13px] text-muted tabular-nums sm:hidden">
        <PhonePrices row={row} />
      </p>
      {row.offPeak && (
        <p className="mt-1 text-[13px] text-muted tabular-nums">
          Off-peak {formatUsd(row.offPeak.input)} in · {formatUsd(row.offPeak.output)} out. Peak hours:{' '}
          {row.offPeak.peakHours}.
        </p>
      )}
    </div>
  );
}

function PhonePrices({ row }: { row: Row }) {
  if (row.type === 'moderation') return 'Free';
  const units = describeUnitPrices(row.prices);
  if (units.length > 0 && row.type !== 'language') return units.join(' · ');
  return (
    <>
      {formatUsd(row.input)}
      {row.hasTiers && <TiersMark />} in
      {hasOutput(row) && (
        <>
          {' '}
          · {formatUsd(row.output)}
          {row.hasTiers && <TiersMark />} out
        </>
      )}
      {units.map((unit) => ` · ${unit}`)}
    </>
  );
}

/** Of a million text tokens, and of what else is counted. */
function Price({ row, side }: { row: Row; side: 'input' | 'output' }) {
  const unit = side === 'input' ? row.prices.inputUnit : row.prices.outputUnit;
  if (row.type === 'moderation') return side === 'input' ? 'Free' : '–';
  return (
    <>
      {row[side] > 0 && <TokenPrice row={row} value={row[side]} />}
      {unit && <span className="block text-xs text-muted">{describeUnitPrice(unit)}</span>}
      {row[side] === 0 && !unit && '–'}
    </>
  );
}

/** The plus is placed outside the column, so that the digits stay aligned. */
function TokenPrice({ row, value }: { row: Row; value: number }) {
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
