import type { Metadata } from 'next';
import { isLive } from '@/server/env';
import { TextLink } from '../parts/markdown';
import { isSandbox, priceRows } from '../parts/price-rows';
import { SiteFrame } from '../parts/site-frame';
import { PriceTable, type Scope } from './price-table';

export const metadata: Metadata = {
  title: 'Models and prices',
  description: 'Every model, what its provider asks for it, and what one request costs in credits.',
};

type Search = Promise<{ q?: string | string[]; provider?: string | string[]; show?: string | string[] }>;

export default async function PricingPage({ searchParams }: { searchParams: Search }) {
  const rows = priceRows();
  const { q, provider, show } = await searchParams;
  const onlySandbox = rows.every((row) => !row.isServed || isSandbox(row));
  return (
    <SiteFrame current="pricing">
      <main id="content" tabIndex={-1} className="pt-10 outline-none sm:pt-14">
        <h1 className="text-[30px] leading-tight font-semibold tracking-tight sm:text-[38px]">
          Models and prices
        </h1>
        <p className="mt-3 max-w-[64ch] text-lg leading-relaxed text-muted">
          You pay what the provider asks plus the commission of the app you use, by the token and nothing
          else. 100 credits are 1 US dollar.
        </p>
        <PriceTable
          rows={rows}
          canChooseScope={!isLive() && rows.some(({ isServed }) => isServed)}
          initial={{ q: first(q), provider: first(provider), show: readScope(first(show), onlySandbox) }}
        />
        {onlySandbox && (
          <p className="mt-4 max-w-[72ch] text-sm text-muted">
            This install has no provider’s key yet, so it answers with the sandbox’s models. The other prices
            hold as soon as the operator sets a key.
          </p>
        )}
        <p className="mt-4 max-w-[72ch] text-sm text-muted">
          Prices are USD per million tokens; at a + long prompts cost more, and “Your request” counts with
          that. A request is charged once, for the tokens it really used, rounded up to a millionth of a
          credit; <TextLink href="/docs/charges">what is charged and when</TextLink>. Apps read the same
          numbers from <TextLink href="/docs/api/models">the API</TextLink>.
        </p>
      </main>
    </SiteFrame>
  );
}

const first = (value: string | string[] | undefined): string => [value ?? ''].flat()[0] ?? '';

const readScope = (show: string, onlySandbox: boolean): Scope =>
  show === 'all' || show === 'served' ? show : onlySandbox ? 'all' : 'served';
