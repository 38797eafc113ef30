'use client';

import type { ReactNode } from 'react';
import { inColumn } from '@/app/_ui/amount';
import { ConfirmButton } from '@/app/_ui/confirm-button';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { PageLink } from '@/app/_ui/page-link';
import { ROW_LINK } from '@/app/_ui/row-link';
import { removeLimitsOfUser } from './actions';

type NearRow = {
  user: string;
  day: number;
  perDay: number | null;
  month: number;
  perMonth: number | null;
};

const nearColumn = columnsOf<NearRow>();
const singleColumn = columnsOf<SingleRow>();

const linkTo = (limitsPath: string, user: string) => (
  <PageLink
    href={`${limitsPath}?user=${encodeURIComponent(user)}#user`}
    className={`font-mono text-[13px] ${ROW_LINK}`}
  >
    {user}
  </PageLink>
);

const writeUse = (used: number, most: number | null): string =>
  most === null ? inColumn(used) : `${inColumn(used)} of ${inColumn(most)}`;

export function NearLimitsTable({
  limitsPath,
  rows,
  empty,
}: {
  limitsPath: string;
  rows: NearRow[];
  empty: ReactNode;
}) {
  const columns = [
    nearColumn.accessor('user', {
      header: 'User',
      cell: ({ getValue }) => linkTo(limitsPath, getValue()),
    }),
    nearColumn.accessor('day', {
      header: 'Today',
      cell: ({ row: { original } }) => writeUse(original.day, original.perDay),
    }),
    nearColumn.accessor('month', {
      header: 'This month',
      cell: ({ row: { original } }) => writeUse(original.month, original.perMonth),
    }),
  ];
  const asCard = ({ user, day, perDay, month, perMonth }: NearRow) => (
    <>
      {linkTo(limitsPath, user)}
      <p className="mt-1 flex flex-wrap justify-between gap-x-4 tabular-nums">
        <span>Today {writeUse(day, perDay)}</span>
        <span>This month {writeUse(month, perMonth)}</span>
      </p>
    </>
  );
  return (
    <DataTable
      card={asCard}
      caption="Users near their limit, the highest share first; in credits"
      columns={columns}
      rows={rows}
      empty={empty}
      numeric={['day', 'month']}
    />
  );
}

type SingleRow = { user: string; limits: string };

type SingleProps = { partnerId: string; limitsPath: string; canChange: boolean; rows: SingleRow[] };

export function SingleLimitsTable({ partnerId, limitsPath, canChange, rows }: SingleProps) {
  const removeButton = (user: string) => (
    <ConfirmButton
      label="Remove"
      title="Remove the limits of this user?"
      consequence="The limits of each user apply to this user again, from the next request."
      describe={user}
      action={() => removeLimitsOfUser({ partnerId, user })}
    />
  );
  const columns = [
    singleColumn.accessor('user', {
      header: 'User',
      cell: ({ getValue }) => linkTo(limitsPath, getValue()),
    }),
    singleColumn.accessor('limits', {
      header: 'Limits',
      cell: ({ getValue }) => <span className="wrap-anywhere">{getValue()}</span>,
    }),
    ...(canChange
      ? [
          singleColumn.display({
            id: 'remove',
            header: () => <span className="sr-only">Remove</span>,
            cell: ({ row: { original } }) => <div className="text-right">{removeButton(original.user)}</div>,
          }),
        ]
      : []),
  ];
  const asCard = ({ user, limits }: SingleRow) => (
    <>
      {linkTo(limitsPath, user)}
      <p className="mt-1 wrap-anywhere">{limits}</p>
      {canChange && <div className="mt-2">{removeButton(user)}</div>}
    </>
  );
  return (
    <DataTable
      card={asCard}
      caption="Users with limits of their own"
      columns={columns}
      rows={rows}
      empty={null}
    />
  );
}
