'use client';

import { Badge } from '@/app/_ui/badge';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { Time } from '@/app/_ui/time';
import { ReasonButton } from '../reason-button';
import { disable } from './actions';
import { GiftLinks } from './gift-links';

export type PromotionRow = {
  id: string;
  kind: 'purchase' | 'gift';
  name: string;
  note: string;
  gives: string;
  conditions: string;
  appName: string;
  redeemed: string;
  given: string;
  until: string | null;
  state: 'scheduled' | 'active' | 'used_up' | 'ended' | 'disabled';
};

const STATES = {
  scheduled: { label: 'Scheduled', look: 'neutral' },
  active: { label: 'Active', look: 'positive' },
  used_up: { label: 'Used up', look: 'neutral' },
  ended: { label: 'Ended', look: 'neutral' },
  disabled: { label: 'Disabled', look: 'neutral' },
} as const;

const column = columnsOf<PromotionRow>();

const COLUMNS = [
  column.accessor('name', {
    header: 'Promotion',
    cell: ({ row: { original } }) => (
      <>
        <span className="font-medium wrap-anywhere">{original.name}</span>
        {original.note !== '' && (
          <span className="mt-0.5 block text-[13px] wrap-anywhere text-muted">{original.note}</span>
        )}
      </>
    ),
  }),
  column.accessor('gives', {
    header: 'Gives',
    cell: ({ row: { original } }) => (
      <>
        {original.gives}
        {original.conditions !== '' && (
          <span className="mt-0.5 block text-[13px] text-muted">{original.conditions}</span>
        )}
      </>
    ),
  }),
  column.accessor('appName', { header: 'App' }),
  column.accessor('redeemed', { header: 'Redeemed' }),
  column.accessor('given', { header: 'Credits given' }),
  column.accessor('state', {
    header: 'State',
    cell: ({ row: { original } }) => <State {...original} />,
  }),
  column.accessor('id', {
    header: () => <span className="sr-only">Actions</span>,
    cell: ({ row: { original } }) => <Actions {...original} />,
  }),
];

export function PromotionTable({ rows }: { rows: PromotionRow[] }) {
  return (
    <DataTable
      caption="Promotions, newest first"
      columns={COLUMNS}
      rows={rows}
      numeric={['redeemed', 'given', 'id']}
      card={(promotion) => <Card {...promotion} />}
      empty={null}
    />
  );
}

function State({ state, until }: PromotionRow) {
  return (
    <>
      <Badge look={STATES[state].look}>{STATES[state].label}</Badge>
      {until !== null && state === 'active' && (
        <span className="mt-1 block text-[13px] text-muted">
          until <Time at={until} withClock={false} />
        </span>
      )}
    </>
  );
}

function Actions({ id, kind, name, state }: PromotionRow) {
  if (state === 'disabled' || state === 'ended') return null;
  return (
    <span className="flex flex-wrap justify-end gap-2">
      {kind === 'gift' && <GiftLinks promotionId={id} />}
      <ReasonButton
        label="Disable"
        title={`Disable ${name}?`}
        consequence="It can no longer be redeemed. Payments in progress keep their bonus. This cannot be undone."
        describe={name}
        isDanger
        action={(reason) => disable({ promotionId: id, reason })}
      />
    </span>
  );
}

function Card(promotion: PromotionRow) {
  return (
    <div>
      <div className="flex justify-between gap-4">
        <p className="min-w-0 font-medium wrap-anywhere">{promotion.name}</p>
        <div className="shrink-0 text-right">
          <State {...promotion} />
        </div>
      </div>
      {promotion.note !== '' && <p className="wrap-anywhere text-muted">{promotion.note}</p>}
      <p className="mt-1.5">
        {[promotion.gives, promotion.conditions, promotion.appName].filter((part) => part !== '').join(' · ')}
      </p>
      <p className="mt-1 text-muted tabular-nums">
        Redeemed {promotion.redeemed} · {promotion.given} credits given
      </p>
      <div className="mt-2 empty:hidden">
        <Actions {...promotion} />
      </div>
    </div>
  );
}
