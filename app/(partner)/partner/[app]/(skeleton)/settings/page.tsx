import type { Metadata } from 'next';
import { PasskeyNotice } from '@/app/_session/passkey-notice';
import { CopyField } from '@/app/_ui/copy-field';
import { Notice } from '@/app/_ui/notice';
import { PageHead } from '@/app/_ui/page-head';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import { settings } from '@/server/base/env';
import type { Partner } from '@/server/partners/partner';
import { ForRight } from '../../for-right';
import { type AppParams, requireMember } from '../../require-app';
import { NameForm } from './name-form';

export const metadata: Metadata = { title: 'Settings' };

export default async function SettingsPage(props: AppParams) {
  const { app, role } = await requireMember(props);
  return (
    <>
      <PageHead title="Settings" />
      {role !== 'viewer' && <PasskeyNotice />}
      <Section
        title="What users see"
        description="The name appears in the checkout, in sign-in e-mails and in users’ accounts."
      >
        <div className="mb-5 empty:hidden">
          <NameNotice app={app} />
        </div>
        {app.review === 'approved' && (
          <ForRight role={role} right="develop">
            <NameForm partnerId={app.id} name={app.name} />
          </ForRight>
        )}
      </Section>
      <Section title="App ID" description="Identifies this app in test events and when you contact us.">
        <CopyField label="app ID" value={app.id} />
        <p className="mt-3 text-sm text-muted">
          Created <Time at={app.createdAt.toISOString()} withClock={false} />
        </p>
      </Section>
    </>
  );
}

function NameNotice({ app: { name, pendingName, nameApprovedAt, review } }: { app: Partner }) {
  if (review !== 'approved')
    return (
      <Notice kind="info">The name of this app is {name}. It can change once the app is approved.</Notice>
    );
  if (pendingName !== null)
    return (
      <Notice kind="info">
        The new name {pendingName} is waiting for approval. Users see {name} until then.
      </Notice>
    );
  if (nameApprovedAt !== null) return null;
  return (
    <Notice kind="info">
      Your name has not been approved yet. Until then, the checkout shows your site’s address next to it, and
      e-mails say “an app that uses {settings().BRAND_NAME}”.
    </Notice>
  );
}
