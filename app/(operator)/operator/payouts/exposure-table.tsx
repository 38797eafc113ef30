'use client';

import { colourOf } from '@/app/_ui/bar-row';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageLink } from '@/app/_ui/page-link';
import { ROW_LINK } from '@/app/_ui/row-link';

/** In USD. */
export type ExposureRow = {
  teamId: string;
  name: string;
  isHeld: boolean;
  paidDisputable: number;
  payable: number;
  maturing: number;
  paidOut: number;
};

const PARTS = [
  ['paidDisputable', 'Paid out, still disputable'],
  ['payable', 'Payable'],
  ['maturing', 'Maturing'],
] as const;

const column = columnsOf<ExposureRow>();

const inUsd = (dollars: number) =>
  new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' }).format(dollars);

const sumOf = (row: ExposureRow): number => PARTS.reduce((sum, [part]) => sum + Math.max(0, row[part]), 0);

/** What each team earned on money that may still be disputed, the largest risk first. */
export function ExposureTable({ rows }: { rows: ExposureRow[] }) {
  const most = Math.max(...rows.map(sumOf), 0);
  const amount = (
    part: keyof ExposureRow & ('payable' | 'maturing' | 'paidOut' | 'paidDisputable'),
    header: string,
  ) => column.accessor(part, { header, cell: ({ getValue }) => inUsd(getValue()) });
  const columns = [
    column.accessor('name', {
      header: 'Team',
      cell: ({ row: { original } }) => <TeamLink {...original} />,
    }),
    column.display({
      id: 'bar',
      header: () => <span className="sr-only">Bar</span>,
      cell: ({ row }) => <Bar row={row.original} most={most} />,
    }),
    ...PARTS.map(([part, label]) => amount(part, label)),
    amount('paidOut', 'Paid out'),
  ];
  return (
    <>
      <DataTable
        caption="Exposure by team"
        columns={columns}
        rows={rows}
        sortable
        numeric={['paidDisputable', 'payable', 'maturing', 'paidOut']}
        hiddenWhenNarrow={['paidOut']}
        empty={
          <EmptyState title="No earnings yet">Teams appear here with their first commission.</EmptyState>
        }
        card={(row) => <Card row={row} most={most} />}
      />
      {rows.length > 0 && <Legend />}
    </>
  );
}

function Card({ row, most }: { row: ExposureRow; most: number }) {
  return (
    <>
      <TeamLink {...row} />
      <div className="my-2">
        <Bar row={row} most={most} />
      </div>
      <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-0.5 text-[13px]">
        {[...PARTS, ['paidOut', 'Paid out'] as const].map(([part, label]) => (
          <div key={part} className="contents">
            <dt className="text-muted">{label}</dt>
            <dd className="text-right tabular-nums">{inUsd(row[part])}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function TeamLink({ teamId, name, isHeld }: ExposureRow) {
  return (
    <>
      <PageLink
        href={`/operator/payouts/teams/${teamId}`}
        className={`font-medium wrap-anywhere ${ROW_LINK}`}
      >
        {name}
      </PageLink>
      {isHeld && <span className="block text-[13px] text-muted">Payouts paused</span>}
    </>
  );
}

/** The amounts are in the other columns, so the bar is for the eye only. */
function Bar({ row, most }: { row: ExposureRow; most: number }) {
  let from = 0;
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 100 8"
      preserveAspectRatio="none"
      className="h-2.5 w-full min-w-24 rounded-sm"
    >
      <rect width="100" height="8" fill="var(--sunken)" />
      {PARTS.map(([part], index) => {
        const width = most === 0 ? 0 : (100 * Math.max(0, row[part])) / most;
        from += width;
        return <rect key={part} x={from - width} width={width} height="8" fill={colourOf(index)} />;
      })}
    </svg>
  );
}

function Legend() {
  return (
    <ul aria-hidden="true" className="flex flex-wrap gap-x-4 gap-y-1 px-5 py-3 text-[13px] text-muted">
      {PARTS.map(([part, label], index) => (
        <li key={part} className="flex items-center gap-1.5">
          <svg width="10" height="10" aria-hidden="true">
            <rect width="10" height="10" rx="3" fill={colourOf(index)} />
          </svg>
          {label}
        </li>
      ))}
    </ul>
  );
}
