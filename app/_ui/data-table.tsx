'use client';

import {
  type ColumnDef,
  createColumnHelper,
  createSortedRowModel,
  type ReactTable,
  type RowData,
  rowSortingFeature,
  sortFn_basic,
  sortFn_text,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { basic: sortFn_basic, text: sortFn_text },
});

/**
 * Names of the columns that hold numbers (right-aligned), and of those hidden on a phone or in a
 * narrow card.
 */
export type ColumnLooks = { numeric?: string[]; hiddenOnPhone?: string[]; hiddenWhenNarrow?: string[] };

// biome-ignore lint/suspicious/noExplicitAny: a row of columns has cells of several types
export type Columns<Row extends RowData> = ColumnDef<typeof features, Row, any>[];

export const columnsOf = <Row extends RowData>() => createColumnHelper<typeof features, Row>();

type Props<Row extends RowData> = ColumnLooks & {
  /** What the table lists, for a screen reader. */
  caption: string;
  columns: Columns<Row>;
  rows: Row[];
  /** Shown instead of the table when it has no rows. */
  empty: ReactNode;
  /** Off where the server sorts and pages: sorting a single page would mislead. */
  sortable?: boolean;
  /** A row as shown on a phone, for a table that is too wide there. */
  card?: (row: Row) => ReactNode;
};

const NONE: string[] = [];

/** A table that scrolls sideways inside its own frame, so that the page never does. */
export function DataTable<Row extends RowData>({
  caption,
  columns,
  rows,
  empty,
  numeric = NONE,
  hiddenOnPhone = NONE,
  hiddenWhenNarrow = NONE,
  sortable = false,
  card,
}: Props<Row>) {
  const table = useTable({ features, columns, data: rows, enableSorting: sortable });
  if (rows.length === 0) return empty;
  const lastBut = (hidden: string[]) =>
    table.getAllLeafColumns().findLast(({ id }) => !hidden.includes(id))?.id;
  const lastOnPhone = lastBut([...hiddenOnPhone, ...hiddenWhenNarrow]);
  const lastWhenNarrow = lastBut(hiddenWhenNarrow);
  const look = (id: string) =>
    [
      numeric.includes(id) ? 'text-right tabular-nums' : 'text-left',
      hiddenOnPhone.includes(id) ? 'max-sm:hidden' : '',
      hiddenWhenNarrow.includes(id) ? '@max-3xl:hidden' : '',
      id === lastOnPhone ? 'max-sm:pr-5' : '',
      id === lastWhenNarrow ? '@max-3xl:pr-5' : '',
    ].join(' ');
  return (
    <>
      <section
        aria-label={caption}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
        tabIndex={0}
        className={`@container relative overflow-x-auto ${card ? 'max-sm:hidden' : ''}`}
      >
        <table className="w-full border-collapse text-sm">
          <caption className="sr-only">{caption}</caption>
          <Head table={table} look={look} />
          <Body table={table} look={look} />
        </table>
      </section>
      {card && (
        <ul aria-label={caption} className="-mt-px border-t border-line sm:hidden">
          {table.getRowModel().rows.map((row) => (
            <li key={row.id} className="row-card border-b border-line/70 px-5 py-3.5 text-sm last:border-0">
              {card(row.original)}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

type Part<Row extends RowData> = {
  table: ReactTable<typeof features, Row>;
  /** The classes of a column's cells. */
  look: (id: string) => string;
};

function Head<Row extends RowData>({ table, look }: Part<Row>) {
  return (
    <thead>
      {table.getHeaderGroups().map((group) => (
        <tr key={group.id} className="border-b border-line">
          {group.headers.map((header) => {
            const sorted = header.column.getIsSorted();
            return (
              <th
                key={header.id}
                scope="col"
                aria-sort={sorted ? (sorted === 'asc' ? 'ascending' : 'descending') : undefined}
                className={`px-3 py-2.5 text-[13px] font-medium whitespace-nowrap text-muted first:pl-5 last:pr-5 ${look(header.column.id)}`}
              >
                {header.column.getCanSort() ? (
                  <button
                    type="button"
                    onClick={header.column.getToggleSortingHandler()}
                    className="-mx-1 -my-2.5 inline-flex items-center gap-1 rounded px-1 py-2.5 hover:text-text"
                  >
                    <table.FlexRender header={header} />
                    {sorted === 'asc' && <ArrowUp size={14} aria-hidden="true" />}
                    {sorted === 'desc' && <ArrowDown size={14} aria-hidden="true" />}
                  </button>
                ) : (
                  <table.FlexRender header={header} />
                )}
              </th>
            );
          })}
        </tr>
      ))}
    </thead>
  );
}

function Body<Row extends RowData>({ table, look }: Part<Row>) {
  return (
    <tbody>
      {table.getRowModel().rows.map((row) => (
        <tr key={row.id} className="border-b border-line/70 last:border-0 hover:bg-sunken/60">
          {row.getAllCells().map((cell) => (
            <td
              key={cell.id}
              className={`px-3 py-3 align-middle first:pl-5 last:pr-5 ${look(cell.column.id)}`}
            >
              <table.FlexRender cell={cell} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}
