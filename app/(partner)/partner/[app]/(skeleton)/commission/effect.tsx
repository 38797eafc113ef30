'use client';

import { writeCharge } from '@/app/_ui/amount';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { estimateCredits } from '@/server/gateway/pricing/estimate';
import { formatPercent } from '@/server/partners/rate';
import { EXAMPLE_SIZE, type Example } from './examples';

type Row = { id: string; name: string; cost: number; price: number; earned: number };

const column = columnsOf<Row>();
const REQUESTS = 1_000;
const CREDITS_PER_DOLLAR = 100;
const dollars = (value: number) =>
  new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' }).format(value);

const COLUMNS = [
  column.accessor('name', {
    header: 'Model',
    cell: ({ row: { original } }) => (
      <span>
        {original.name}
        <code className="block font-mono text-[13px] wrap-anywhere text-muted">{original.id}</code>
      </span>
    ),
  }),
  column.accessor('cost', { header: 'Provider', cell: ({ getValue }) => writeCharge(getValue()) }),
  column.accessor('price', { header: 'User pays', cell: ({ getValue }) => writeCharge(getValue()) }),
  column.accessor('earned', { header: 'You earn', cell: ({ getValue }) => writeCharge(getValue()) }),
  column.display({
    id: 'thousand',
    header: 'Per 1,000 requests',
    cell: ({ row: { original } }) => dollars((original.earned * REQUESTS) / CREDITS_PER_DOLLAR),
  }),
];

/** What a rate means for three models, by the function that prices estimates and requests. */
export function Effect({
  examples,
  rateBp,
  currentBp,
}: {
  examples: Example[];
  rateBp: number;
  currentBp: number;
}) {
  const rows = examples.map(({ id, name, prices }) => {
    const cost = estimateCredits({ prices }, EXAMPLE_SIZE, 0);
    const price = estimateCredits({ prices }, EXAMPLE_SIZE, rateBp);
    return { id, name, cost, price, earned: price - cost };
  });
  if (rows.length === 0) return null;
  return (
    <div className="-mx-5 mt-6 -mb-5 border-t border-line">
      <p className="px-5 pt-4 text-sm text-muted" aria-live="polite">
        {rateBp === currentBp ? 'Now' : 'After the change'}, at {formatPercent(rateBp)}%: credits for a
        request of {EXAMPLE_SIZE.input.toLocaleString('en')} input and{' '}
        {EXAMPLE_SIZE.output.toLocaleString('en')} output tokens
      </p>
      <DataTable
        caption={`Effect of a ${formatPercent(rateBp)}% commission`}
        columns={COLUMNS}
        rows={rows}
        empty={null}
        numeric={['cost', 'price', 'earned', 'thousand']}
        hiddenOnPhone={['cost', 'thousand']}
      />
    </div>
  );
}
