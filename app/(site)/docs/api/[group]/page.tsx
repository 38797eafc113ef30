import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { operationsOf } from '@/server/api/docs/operations-of';
import { WEBHOOKS } from '@/server/api/docs/pages';
import { apiDocument } from '@/server/api/openapi/document';
import { GROUPS, type GroupId } from '@/server/api/openapi/operation';
import { settings } from '@/server/base/env';
import { TextLink } from '../../../parts/markdown';
import { EndpointSection } from '../endpoint-section';
import { EventSection } from '../event-section';

type Props = { params: Promise<{ group: string }> };

const isGroup = (name: string): name is GroupId => Object.hasOwn(GROUPS, name);

const describe = (group: string) => (group === 'webhooks' ? WEBHOOKS : isGroup(group) ? GROUPS[group] : null);

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const described = describe((await params).group);
  return described ? { title: `${described.title} · API`, description: described.description } : {};
}

export default async function GroupPage({ params }: Props) {
  const { group } = await params;
  const described = describe(group);
  if (described === null) notFound();
  const document = apiDocument();
  const { BASE_URL: base } = settings();
  return (
    <article className="min-w-0">
      <h1 className="text-[30px] leading-tight font-semibold tracking-tight sm:text-[36px]">
        {described.title}
      </h1>
      <p className="mt-3 mb-4 max-w-[64ch] text-lg leading-relaxed text-muted">
        {described.description}
        {group === 'webhooks' && (
          <>
            {' '}
            The <TextLink href="/docs/webhooks">guide</TextLink> explains how to verify the signature.
          </>
        )}
      </p>
      {operationsOf(document, group).map((endpoint) =>
        group === 'webhooks' ? (
          <EventSection key={endpoint.operation.operationId} endpoint={endpoint} document={document} />
        ) : (
          <EndpointSection
            key={endpoint.operation.operationId}
            endpoint={endpoint}
            document={document}
            base={base}
          />
        ),
      )}
    </article>
  );
}
