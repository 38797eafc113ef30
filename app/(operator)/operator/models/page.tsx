import type { Metadata } from 'next';
import { requireOperator } from '@/app/_session/session';
import { PageHead } from '@/app/_ui/page-head';
import { Section } from '@/app/_ui/section';
import { catalogModels } from '@/server/gateway/pricing/catalog';
import { isConfigured } from '@/server/gateway/pricing/served';
import { describeUnitPrice } from '@/server/gateway/pricing/unit-words';
import { ModelsTable } from './models-table';
import { PriceSources } from './price-sources';

export const metadata: Metadata = { title: 'Models and prices' };

export default async function ModelsPage() {
  await requireOperator();
  const models = catalogModels().map((model) => ({
    id: model.id,
    type: model.type,
    served: isConfigured(model),
    input: model.listPrices.input,
    output: model.listPrices.output,
    cacheRead: model.listPrices.cacheRead,
    webSearch: model.listPrices.webSearch ?? null,
    inputUnit: model.prices.inputUnit ? describeUnitPrice(model.prices.inputUnit) : null,
    outputUnit: model.prices.outputUnit ? describeUnitPrice(model.prices.outputUnit) : null,
    context: model.contextWindow,
  }));
  const served = models.filter((model) => model.served).length;
  return (
    <>
      <PageHead
        title="Models and prices"
        description={`${models.length} models have a price; the ${served} whose provider has a key are served. List prices in USD per million tokens and per 1,000 web searches, before commission.`}
      />
      <PriceSources />
      <Section flush>
        <ModelsTable models={models} />
      </Section>
    </>
  );
}
