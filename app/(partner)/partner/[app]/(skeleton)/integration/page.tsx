import type { Metadata } from 'next';
import { ConfirmButton } from '@/app/_ui/confirm-button';
import { CopyField } from '@/app/_ui/copy-field';
import { PageHead } from '@/app/_ui/page-head';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import { settings } from '@/server/base/env';
import { nameActor } from '@/server/partners/audit-log';
import { hasRight } from '@/server/partners/rights';
import { listRetiredKeys } from '@/server/partners/rotate-key';
import { CodeBlock } from '../../code-block';
import { ForRight } from '../../for-right';
import { type AppParams, requireMember } from '../../require-app';
import { writeSnippet } from '../../snippet';
import { rotateKey } from './key-actions';
import { NetworksForm } from './networks-form';
import { OriginSections } from './origin-sections';

export const metadata: Metadata = { title: 'Integration' };

export default async function IntegrationPage(props: AppParams) {
  const { app, role } = await requireMember(props);
  const [retired, maker] = await Promise.all([listRetiredKeys(app.id), nameActor(app.keyBy)]);
  return (
    <>
      <PageHead
        title="Integration"
        description="The key of your app, the code for your page, and the sites that may open your checkout."
      />
      <Section
        title="Publishable key"
        description="Identifies your app to the checkout and the pricing endpoint. It is public: safe to ship in client code."
        actions={
          hasRight(role, 'develop') && (
            <ConfirmButton
              label="Rotate key"
              title="Rotate the publishable key?"
              consequence="You get a new key now. The current one works for another 24 hours, so you have time to replace it on every page. User keys are not affected."
              action={rotateKey.bind(null, { partnerId: app.id })}
            />
          )
        }
      >
        <CopyField label="publishable key" value={app.publishableKey} />
        {maker && <p className="mt-2 text-[13px] text-muted">Created by {maker}</p>}
        {retired.length > 0 && (
          <ul className="mt-5 space-y-3 text-sm">
            {retired.map(({ publishableKey, worksUntil }) => (
              <li key={publishableKey}>
                <p className="mb-1.5 text-muted">
                  Replaced. Works until <Time at={worksUntil.toISOString()} />
                </p>
                <CopyField label="replaced key" value={publishableKey} />
              </li>
            ))}
          </ul>
        )}
      </Section>
      <Section title="On your page" description="Your key is filled in.">
        <CodeBlock label="HTML" code={writeSnippet(app.publishableKey, settings().SDK_URL)} />
      </Section>
      <OriginSections app={app} role={role} />
      <Section
        title="Prices for your users"
        description="No user key needed; prices include your commission."
      >
        <CodeBlock
          label="Shell"
          code={`curl "${settings().BASE_URL}/v1/credits/pricing?publishable_key=${app.publishableKey}"`}
        />
      </Section>
      <Section
        title="User keys"
        description="If only your own servers send requests, allow only their networks: a key that leaks is then worthless elsewhere. Requests from browsers and devices are refused."
      >
        {app.keyNetworks.length > 0 && !hasRight(role, 'develop') && (
          <p className="mb-3 font-mono text-[13px]">{app.keyNetworks.join(' ')}</p>
        )}
        <ForRight role={role} right="develop">
          <NetworksForm partnerId={app.id} saved={app.keyNetworks.join(' ')} />
        </ForRight>
      </Section>
    </>
  );
}
