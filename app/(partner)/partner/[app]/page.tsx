import { PageHead } from '@/app/_ui/page-head';
import { isLive, settings } from '@/server/env';
import { readFirstSteps } from '@/server/partners/first-steps';
import { Checklist } from './checklist';
import { type AppParams, requireOwnedApp } from './owned-app';

export default async function HomePage(props: AppParams) {
  const app = await requireOwnedApp(props);
  const steps = await readFirstSteps(app.id);
  return (
    <>
      <PageHead title={app.name} />
      <Checklist
        appId={app.id}
        publishableKey={app.publishableKey}
        scriptUrl={settings().SDK_URL}
        isSandbox={!isLive()}
        steps={steps}
      />
    </>
  );
}
