'use client';

import { KeyRound } from 'lucide-react';
import { useMemo } from 'react';
import { ConfirmButton } from '@/app/_ui/confirm-button';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { EmptyState } from '@/app/_ui/empty-state';
import { Time } from '@/app/_ui/time';
import { revokeAppKey } from './actions';
import { RestrictKey } from './restrict-key';

export type KeyRow = {
  keyId: string;
  last4: string;
  device: string;
  createdAt: string;
  lastUsedAt: string | null;
  origins: string[];
  networks: string[];
};

const column = columnsOf<KeyRow>();

const columnsFor = (appName: string) => [
  column.accessor('last4', {
    header: 'Key',
    cell: ({ row: { original: key } }) => (
      <span className="font-mono text-[13px] whitespace-nowrap" title={key.keyId}>
        svc_sk_…{key.last4}
        <span className="block max-w-40 truncate text-muted sm:max-w-none">{key.keyId}</span>
        <span className="block font-sans text-muted sm:hidden">{key.device}</span>
        <Restrictions {...key} />
      </span>
    ),
  }),
  column.accessor('device', { header: 'Device' }),
  column.accessor('createdAt', {
    header: 'Created',
    cell: ({ getValue }) => <Time at={getValue()} withClock={false} />,
  }),
  column.accessor('lastUsedAt', {
    header: 'Last used',
    cell: ({ row: { original: key } }) =>
      key.lastUsedAt === null ? <span className="text-muted">never</span> : <Time at={key.lastUsedAt} />,
  }),
  column.display({
    id: 'revoke',
    header: () => <span className="sr-only">Restrict or revoke</span>,
    cell: ({ row: { original: key } }) => (
      <span className="inline-flex flex-wrap justify-end gap-2">
        <RestrictKey appName={appName} {...key} />
        <ConfirmButton
          label="Revoke"
          describe={`key ending in ${key.last4}`}
          title={`Revoke the key ending in ${key.last4}?`}
          consequence={`${appName} on ${key.device} can no longer spend with this key, starting with the next request. This cannot be undone. Signing in there again creates a new key.`}
          action={() => revokeAppKey({ keyId: key.keyId })}
        />
      </span>
    ),
  }),
];

function Restrictions({ origins, networks }: Pick<KeyRow, 'origins' | 'networks'>) {
  const places = [...networks, ...origins];
  if (places.length === 0) return null;
  return (
    <span className="block max-w-64 font-sans whitespace-normal text-muted wrap-anywhere">
      Only from {places.join(', ')}
    </span>
  );
}

export function KeyTable({ appName, rows }: { appName: string; rows: KeyRow[] }) {
  // New columns would mount every cell again, and the focus would be lost after an action.
  const columns = useMemo(() => columnsFor(appName), [appName]);
  return (
    <DataTable
      caption={`Keys for ${appName}`}
      columns={columns}
      rows={rows}
      numeric={['revoke']}
      hiddenOnPhone={['device', 'createdAt', 'lastUsedAt']}
      empty={
        <EmptyState icon={<KeyRound size={22} aria-hidden="true" />} title="No active keys">
          {appName} cannot spend your credits. Signing in there creates a new key.
        </EmptyState>
      }
    />
  );
}
