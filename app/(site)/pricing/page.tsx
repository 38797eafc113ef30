import type { Metadata } from 'next';
import { DATA_RULES } from '@/server/base/data-rules';
import { isLive } from '@/server/base/env';
import { TextLink } from '../parts/markdown';
import { isSandbox, priceRows } from '../parts/price-rows';
import { SiteFrame } from '../parts/site-frame';
import type { PriceFilter, Scope } from './price-filter';
import { PriceTable } from './price-table';

export const metadata: Metadata = {
  title: 'Models and prices',
  description: 'Every model, its provider’s price, and what a request costs in credits.',
};

type Search = Promise<Partial<Record<keyof PriceFilter, string | string[]>>>;

export default async function PricingPage({ searchParams }: { searchParams: Search }) {
  const rows = priceRows();
  const { q, provider, rule, show } = await searchParams;
  const onlySandbox = rows.every((row) => !row.isServed || isSandbox(row));
  return (
    <SiteFrame current="pricing">
      <main id="content" tabIndex={-1} className="pt-10 outline-none sm:pt-14">
        <h1 className="text-[30px] leading-tight font-semibold tracking-tight sm:text-[38px]">
          Models and prices
        </h1>
        <p className="mt-3 max-w-[64ch] text-lg leading-relaxed text-muted">
          You pay the provider’s price plus the commission of the app you use, and nothing else. 100 credits
          are 1 US dollar.
        </p>
        <PriceTable
          rows={rows}
          canChooseScope={!isLive() && rows.some(({ isServed }) => isServed)}
          initial={{
            q: first(q),
            provider: first(provider),
            rule: DATA_RULES.find((known) => known === first(rule)) ?? '',
            show: readScope(first(show), onlySandbox),
          }}
        />
        {onlySandbox && (
          <p className="mt-4 max-w-[72ch] text-sm text-muted">
            This installation has no provider keys yet and serves the sandbox models only. The other prices
            apply once the operator sets a key.
          </p>
        )}
        <p className="mt-4 max-w-[72ch] text-sm text-muted">
          Prices are in USD per million tokens, except where another unit is shown. A + marks models that
          charge more for long prompts, which “Your request” includes. A web search that the provider runs has
          a price of its own, which the API lists with the model. Most OpenAI and Anthropic models cost half
          in a <TextLink href="/docs/batches">batch</TextLink>. A request is charged once, for what it used,
          rounded up to a millionth of a credit: see{' '}
          <TextLink href="/docs/charges">what is charged and when</TextLink>. Apps get the same numbers from{' '}
          <TextLink href="/docs/api/models">the API</TextLink>.
        </p>
      </main>
    </SiteFrame>
  );
}

const first = (value: string | string[] | undefined): string => [value ?? ''].flat()[0] ?? '';

const readScope = (show: string, onlySandbox: boolean): Scope =>
  show === 'all' || show === 'served' ? show : onlySandbox ? 'all' : 'served';
