import type { Metadata } from 'next';
import { PageHead } from '@/app/_ui/page-head';
import { Section } from '@/app/_ui/section';
import { NO_RULES } from '@/server/base/data-rules';
import { priceForUsers } from '@/server/gateway/pricing/list-price';
import { choosableModels, countByRules, modelsOf } from '@/server/gateway/pricing/served';
import { describeUnitPrices } from '@/server/gateway/pricing/unit-words';
import { hasRight } from '@/server/partners/rights';
import { ForRight } from '../../for-right';
import { type AppParams, requireMember } from '../../require-app';
import { AppDataRules } from './app-data-rules';
import { ModelChoice } from './model-choice';

export const metadata: Metadata = { title: 'Models' };

export default async function ModelsPage(props: AppParams) {
  const { app, role } = await requireMember(props);
  const priced = (price: string) => priceForUsers(price, app.rateBp);
  const served = choosableModels().map(({ id, name, type, provider, listPrices, prices }) => ({
    id,
    name,
    type,
    provider,
    input: priced(listPrices.input),
    output: priced(listPrices.output),
    units: describeUnitPrices(prices, app.rateBp),
    webSearch: listPrices.webSearch ? priced(listPrices.webSearch) : null,
  }));
  return (
    <>
      <PageHead
        title="Models"
        description="The models your users’ keys may use, at the price users pay: the provider cost and your commission. Requests for others return 403 model_not_allowed, and the pricing endpoint omits them."
      />
      {hasRight(role, 'develop') ? (
        <>
          <Section
            title="Data rules"
            description="What providers may do with your users’ requests. Users and this service can set stricter rules."
          >
            <AppDataRules
              partnerId={app.id}
              rules={app.dataRules}
              counts={countByRules(modelsOf({ ...app, dataRules: NO_RULES }))}
            />
          </Section>
          <ModelChoice
            partnerId={app.id}
            models={served}
            allowed={app.allModels ? null : app.allowedModels}
          />
        </>
      ) : (
        <Section title={app.allModels ? 'All models are allowed' : 'Allowed models'}>
          {!app.allModels && (
            <p className="mb-3 font-mono text-[13px] wrap-anywhere">{app.allowedModels.join(', ')}</p>
          )}
          <ForRight role={role} right="develop">
            {null}
          </ForRight>
        </Section>
      )}
    </>
  );
}
