import type { Metadata } from 'next';
import { PageHead } from '@/app/_ui/page-head';
import { servedModels } from '@/server/pricing/served';
import { type AppParams, requireOwnedApp } from '../../owned-app';
import { ModelChoice } from './model-choice';

export const metadata: Metadata = { title: 'Models' };

export default async function ModelsPage(props: AppParams) {
  const app = await requireOwnedApp(props);
  const served = servedModels().map(({ id, name, provider, listPrices }) => ({
    id,
    name,
    provider,
    input: listPrices.input,
    output: listPrices.output,
  }));
  return (
    <>
      <PageHead
        title="Models"
        description="The models your users’ keys may use. Requests for others return 403 model_not_allowed, and the pricing endpoint omits them."
      />
      <ModelChoice partnerId={app.id} models={served} allowed={app.allModels ? null : app.allowedModels} />
    </>
  );
}
