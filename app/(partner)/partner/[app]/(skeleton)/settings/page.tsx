import type { Metadata } from 'next';
import { CopyField } from '@/app/_ui/copy-field';
import { PageHead } from '@/app/_ui/page-head';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import { type AppParams, requireOwnedApp } from '../../owned-app';
import { NameForm } from './name-form';

export const metadata: Metadata = { title: 'Settings' };

export default async function SettingsPage(props: AppParams) {
  const app = await requireOwnedApp(props);
  return (
    <>
      <PageHead title="Settings" />
      <Section
        title="What users see"
        description="The name appears in the checkout, in sign-in e-mails and in users’ accounts."
      >
        <NameForm partnerId={app.id} name={app.name} />
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
