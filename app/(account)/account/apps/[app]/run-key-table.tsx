'use client';

import { useMemo } from 'react';
import { formatCredits, inColumn } from '@/app/_ui/amount';
import { Badge } from '@/app/_ui/badge';
import { ConfirmButton } from '@/app/_ui/confirm-button';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { Time } from '@/app/_ui/time';
import { revokeAppKey } from './actions';
import { RaiseBudget } from './raise-budget';

export type RunKeyRow = {
  keyId: string;
  last4: string;
  label: string | null;
  depth: number;
  ordinaryLast4: string;
  expiresAt: string;
  credits: number;
  spent: number;
  left: number;
  used: number;
  requests: number | null;
  isUsedUp: boolean;
};

const column = columnsOf<RunKeyRow>();
const nameOf = ({ label, last4 }: RunKeyRow) => label ?? `svc_sk_…${last4}`;

const columnsFor = (appName: string) => [
  column.accessor('label', {
    header: 'Run key',
    cell: ({ row: { original: key } }) => <Name {...key} />,
  }),
  column.accessor('isUsedUp', {
    header: 'Status',
    cell: ({ row: { original: key } }) => <State {...key} />,
  }),
  column.accessor('spent', {
    header: 'Spent',
    cell: ({ row: { original: key } }) => (
      <>
        {inColumn(key.spent)}
        <span className="block text-[13px] whitespace-nowrap text-muted">of {inColumn(key.credits)}</span>
      </>
    ),
  }),
  column.accessor('left', {
    header: 'Left',
    cell: ({ getValue }) => <span className="font-medium whitespace-nowrap">{inColumn(getValue())}</span>,
  }),
  column.accessor('used', {
    header: 'Requests',
    cell: ({ row: { original: key } }) => (
      <>
        {COUNT.format(key.used)}
        {key.requests !== null && (
          <span className="block text-[13px] whitespace-nowrap text-muted">
            of {COUNT.format(key.requests)}
          </span>
        )}
      </>
    ),
  }),
  column.accessor('expiresAt', { header: 'Ends', cell: ({ getValue }) => <Time at={getValue()} /> }),
  column.display({
    id: 'end',
    header: () => <span className="sr-only">Raise the budget or end the key</span>,
    cell: ({ row: { original: key } }) => (
      <span className="inline-flex flex-wrap justify-end gap-2 sm:flex-nowrap">
        <RaiseBudget keyId={key.keyId} name={nameOf(key)} credits={key.credits} spent={key.spent} />
        <ConfirmButton
          label="End key"
          describe={nameOf(key)}
          title={`End the run key ${nameOf(key)}?`}
          consequence={`${appName} can no longer spend with this key and the keys below it, starting with the next request. Running requests end within two seconds and are charged for what they produced. This cannot be undone.`}
          action={() => revokeAppKey({ keyId: key.keyId })}
        />
      </span>
    ),
  }),
];

const COUNT = new Intl.NumberFormat('en');
/** One for each level. */
const INDENTS = ['', '', 'ml-4', 'ml-8'];

/** What a phone has no column for is below it. */
function Name(key: RunKeyRow) {
  const { label, last4, depth, ordinaryLast4 } = key;
  return (
    <span className={`block max-w-60 ${INDENTS[depth]}`} title={key.keyId}>
      {label !== null && <span className="block font-medium wrap-anywhere">{label}</span>}
      <span className="block font-mono text-[13px] whitespace-nowrap text-muted">svc_sk_…{last4}</span>
      {depth === 1 && (
        <span className="block text-[13px] text-muted">
          minted with <span className="font-mono whitespace-nowrap">…{ordinaryLast4}</span>
        </span>
      )}
      <span className="mt-1 block text-[13px] text-muted sm:hidden">
        {formatCredits(key.left, 'en')} of {formatCredits(key.credits, 'en')} left
      </span>
      <span className="mt-1.5 block sm:hidden">
        <State {...key} />
      </span>
    </span>
  );
}

const State = ({ isUsedUp }: RunKeyRow) =>
  isUsedUp ? <Badge look="warning">Used up</Badge> : <Badge look="positive">Active</Badge>;

export function RunKeyTable({ appName, rows }: { appName: string; rows: RunKeyRow[] }) {
  // As in the table of keys: new columns would lose the focus after an action.
  const columns = useMemo(() => columnsFor(appName), [appName]);
  return (
    <DataTable
      caption={`Run keys for ${appName}`}
      columns={columns}
      rows={rows}
      numeric={['spent', 'left', 'used', 'end']}
      hiddenOnPhone={['isUsedUp', 'spent', 'left', 'used', 'expiresAt']}
      empty={null}
    />
  );
}
