import { chargeFor, creditsToJson } from '@/server/base/credits';
import { costOf } from '@/server/gateway/pricing/cost';
import { NO_TOKENS } from '@/server/gateway/protocols/neutral';
import { formatUsd } from './parts/numbers';
import type { PriceRow } from './parts/price-rows';

const TOKENS = { input: 2_500, output: 500 };
const RATE_BP = 2_500;
const CREDITS_PER_USD = 100;

/** An example receipt, computed by the same functions as a real one. */
export function ReceiptCard({ model }: { model: PriceRow }) {
  const exact = costOf({ ...NO_TOKENS, ...TOKENS }, model.prices);
  const { charge, providerCost, partnerShare } = chargeFor(exact, RATE_BP);
  return (
    <figure className="rounded-2xl border border-line bg-surface p-6 shadow-[0_1px_2px_rgb(0_0_0/0.04),0_12px_32px_-12px_rgb(0_0_0/0.12)] sm:p-7">
      <figcaption className="flex items-baseline justify-between gap-4">
        <span className="font-medium">Receipt for one request</span>
        <span className="text-xs text-muted">Example</span>
      </figcaption>
      <dl className="mt-5 grid gap-2.5 text-[15px]">
        <Line name="Model" value={model.name} />
        <Line name="Input" value={`${TOKENS.input.toLocaleString('en')} tokens`} />
        <Line name="Output" value={`${TOKENS.output.toLocaleString('en')} tokens`} />
      </dl>
      <dl className="mt-4 grid gap-2.5 border-t border-dashed border-line pt-4 text-[15px]">
        <Line name="Provider cost" value={credits(providerCost)} />
        <Line name={`App commission, ${RATE_BP / 100}%`} value={credits(partnerShare)} />
      </dl>
      <dl className="mt-4 border-t border-line pt-4">
        <div className="flex items-baseline justify-between gap-4">
          <dt className="text-lg font-semibold">You pay</dt>
          <dd className="text-right tabular-nums">
            <span className="text-lg font-semibold">{credits(charge)}</span>
            <span className="mt-0.5 block text-sm text-muted">
              {formatUsd(creditsToJson(charge) / CREDITS_PER_USD)}
            </span>
          </dd>
        </div>
      </dl>
    </figure>
  );
}

function Line({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex justify-between gap-4">
      <dt className="text-muted">{name}</dt>
      <dd className="text-right tabular-nums">{value}</dd>
    </div>
  );
}

/** At least four decimals, so that a column lines up, and never fewer than the amount has. */
const credits = (amount: bigint): string =>
  `${creditsToJson(amount).toLocaleString('en', { minimumFractionDigits: 4, maximumFractionDigits: 6 })} credits`;
