import type { Metadata } from 'next';
import { requireSession } from '@/app/_session/session';
import { PageHead } from '@/app/_ui/page-head';
import { creditsToJson } from '@/server/base/credits';
import { settings } from '@/server/base/env';
import { servedModels } from '@/server/gateway/pricing/served';
import { PLAYGROUND_ID, readPlaygroundBalance } from '@/server/people/playground';
import { Playground } from './playground';

export const metadata: Metadata = { title: 'Playground' };

/** A conversation with any served model, paid with the user's credits. */
export default async function PlaygroundPage() {
  const { userId } = await requireSession();
  const balance = await readPlaygroundBalance(userId);
  return (
    <>
      <PageHead
        title="Playground"
        description="Talk to any model, see what each answer costs, and copy the code that sends the same request. The playground adds no commission."
      />
      <Playground
        models={servedModels()
          .filter(({ type }) => type === 'language')
          .map(({ id, name }) => ({ id, label: name }))}
        balance={creditsToJson(balance)}
        apiUrl={settings().BASE_URL}
        appPath={`/account/apps/${PLAYGROUND_ID}`}
      />
    </>
  );
}
