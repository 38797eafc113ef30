import type { Metadata } from 'next';
import { EmptyState } from '@/app/_ui/empty-state';
import { Notice } from '@/app/_ui/notice';
import { PageHead } from '@/app/_ui/page-head';
import { Pager } from '@/app/_ui/pager';
import { Section } from '@/app/_ui/section';
import { nameActor } from '@/server/partners/audit-log';
import { hasRight } from '@/server/partners/rights';
import { DELIVERY_STATUSES, listDeliveries } from '@/server/partners/webhooks/delivery-log';
import { readEndpoint } from '@/server/partners/webhooks/endpoint';
import { EVENT_DATA, type EventType } from '@/server/partners/webhooks/events';
import { followTrail, readTrail } from '../../cursor-trail';
import { FilterSelect } from '../../filter-fields';
import { FilterForm } from '../../filter-form';
import { ForRight } from '../../for-right';
import { type AppParams, requireMember } from '../../require-app';
import { readChoice, type Search } from '../../search';
import { DeliveriesTable } from './deliveries-table';
import { DELIVERY_WORDS } from './delivery-words';
import { EndpointForm } from './endpoint-form';
import { NewSecret, SigningSecret } from './signing-secret';
import { TestEvent } from './test-event';

export const metadata: Metadata = { title: 'Webhooks' };

const PAGE_ROWS = 25;
const EVENT_TYPES = Object.keys(EVENT_DATA) as EventType[];

type Props = AppParams & { searchParams: Promise<Search> };

export default async function WebhooksPage({ params, searchParams }: Props) {
  const { app, role } = await requireMember({ params });
  const [endpoint, maker] = await Promise.all([readEndpoint(app.id), nameActor(app.webhookBy)]);
  const canChange = hasRight(role, 'develop');
  return (
    <>
      <PageHead
        title="Webhooks"
        description="Notifies your backend of new and revoked keys and of added credits. Up to three attempts: immediately, after 2 seconds and after 8 seconds."
      />
      <Section
        title="Endpoint"
        description="A public HTTPS URL that responds with a 2xx status within 5 seconds."
      >
        {endpoint.isPaused && (
          <div className="mb-4">
            <Notice kind="warning">Deliveries wait while the app is disabled.</Notice>
          </div>
        )}
        {!canChange && (
          <p className="mb-2 font-mono text-[13px] wrap-anywhere">{endpoint.url ?? 'No endpoint'}</p>
        )}
        <ForRight role={role} right="develop">
          <EndpointForm partnerId={app.id} url={endpoint.url} />
        </ForRight>
        {endpoint.url !== null && maker && <p className="mt-3 text-[13px] text-muted">Set by {maker}</p>}
      </Section>
      {canChange && (
        <Section
          title="Signing secret"
          description="Use it to verify the X-svc-Signature header of each delivery against the raw body, and to read events from the API."
        >
          {endpoint.hasSecret ? (
            <SigningSecret partnerId={app.id} isRotating={endpoint.isRotating} />
          ) : (
            <NewSecret partnerId={app.id} />
          )}
        </Section>
      )}
      {canChange && endpoint.url !== null && (
        <Section
          title="Test your endpoint"
          description="Sends a test event now and shows how your endpoint responded."
        >
          <TestEvent partnerId={app.id} />
        </Section>
      )}
      <Deliveries partnerId={app.id} search={await searchParams} hasEndpoint={endpoint.url !== null} />
    </>
  );
}

type DeliveriesProps = {
  partnerId: string;
  search: Search;
  hasEndpoint: boolean;
};

async function Deliveries({ partnerId, search, hasEndpoint }: DeliveriesProps) {
  const path = `/partner/${partnerId}/webhooks`;
  const type = readChoice(search.type, EVENT_TYPES);
  const status = readChoice(search.status, DELIVERY_STATUSES);
  const before = readTrail(search).at(-1);
  const { deliveries, hasMore } = await listDeliveries(partnerId, { type, status, before, limit: PAGE_ROWS });
  const trail = followTrail(
    path,
    { type, status, at: search.at },
    hasMore ? deliveries.at(-1)?.eventId : undefined,
  );
  const isFiltered = type !== undefined || status !== undefined;
  return (
    <Section
      title="Deliveries"
      description="Kept for 30 days."
      flush
      actions={
        <FilterForm path={path}>
          <div className="grid w-full grid-cols-2 gap-2 sm:contents">
            <FilterSelect
              label="Event"
              name="type"
              value={type ?? ''}
              options={[
                { value: '', label: 'All events' },
                ...EVENT_TYPES.map((value) => ({ value, label: value })),
              ]}
            />
            <FilterSelect
              label="Status"
              name="status"
              value={status ?? ''}
              options={[
                { value: '', label: 'Any status' },
                ...DELIVERY_STATUSES.map((value) => ({ value, label: DELIVERY_WORDS[value].label })),
              ]}
            />
          </div>
        </FilterForm>
      }
    >
      <DeliveriesTable
        path={path}
        deliveries={deliveries.map(({ eventId, type, createdAt, status, attempts }) => ({
          eventId,
          type,
          createdAt: createdAt.toISOString(),
          status,
          attempts: attempts.length,
          answer: attempts.at(-1)?.status ?? null,
          error: attempts.at(-1)?.error ?? null,
          durationMs: attempts.at(-1)?.durationMs ?? null,
        }))}
        empty={
          <EmptyState title={isFiltered ? 'No deliveries found' : 'No deliveries yet'}>
            {isFiltered
              ? 'Try other filters to see more.'
              : hasEndpoint
                ? 'Send a test event or sign in to your app, and the event appears here.'
                : 'Set an endpoint above. Later events are sent to it.'}
          </EmptyState>
        }
      />
      <Pager newer={trail.newer} older={trail.older} position={`Page ${trail.page}`} />
    </Section>
  );
}
