import { Webhook } from 'lucide-react';
import type { Metadata } from 'next';
import { requireOperator } from '@/app/_session/session';
import { Badge } from '@/app/_ui/badge';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageHead } from '@/app/_ui/page-head';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import { readWebhookHealth, type WebhookHealth } from '@/server/operator/state';
import { AppLink } from '../app-link';
import { inNumber } from '../write-amounts';

export const metadata: Metadata = { title: 'Webhooks' };

export default async function WebhooksPage() {
  await requireOperator();
  const apps = await readWebhookHealth();
  return (
    <>
      <PageHead
        title="Webhooks"
        description="Deliveries in the last 24 hours, failing apps first. Only partners can see event bodies."
      />
      <Section flush>
        {apps.length === 0 ? (
          <EmptyState icon={<Webhook size={20} aria-hidden="true" />} title="No webhook endpoints yet">
            Apps appear here once they set one.
          </EmptyState>
        ) : (
          <ul>
            {apps.map((app) => (
              <AppHealth key={app.partnerId} app={app} />
            ))}
          </ul>
        )}
      </Section>
    </>
  );
}

function AppHealth({ app }: { app: WebhookHealth }) {
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2 border-b border-line/70 px-5 py-4 text-sm last:border-0">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-2">
          <AppLink id={app.partnerId} name={app.name} />
          <StateOf app={app} />
        </p>
        {app.failed > 0 && (app.lastStatus !== null || app.lastError !== null) && (
          <p className="mt-1 text-[13px] text-muted">
            Last failure: {app.lastStatus === null ? app.lastError : `status ${app.lastStatus}`}
          </p>
        )}
        {app.oldestPendingAt && (
          <p className="mt-1 text-[13px] text-muted">
            Pending since <Time at={app.oldestPendingAt.toISOString()} />
          </p>
        )}
      </div>
      <p className="text-muted tabular-nums">
        {inNumber(app.delivered)} delivered · {inNumber(app.pending)} pending · {inNumber(app.failed)} failed
      </p>
    </li>
  );
}

function StateOf({ app }: { app: WebhookHealth }) {
  if (!app.hasEndpoint) return <Badge>No endpoint</Badge>;
  if (app.failed > 0) return <Badge look="danger">Failing</Badge>;
  return app.pending > 0 ? <Badge look="warning">Pending</Badge> : <Badge look="positive">Healthy</Badge>;
}
