import type { Metadata } from 'next';
import { PasskeyNotice } from '@/app/_session/passkey-notice';
import { CopyField } from '@/app/_ui/copy-field';
import { Notice } from '@/app/_ui/notice';
import { PageHead } from '@/app/_ui/page-head';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import { settings } from '@/server/base/env';
import { listOrigins, type Partner, stateOf } from '@/server/partners/partner';
import { type Profile, readProfiles } from '@/server/partners/profile';
import { hasRight } from '@/server/partners/rights';
import { ForRight } from '../../for-right';
import { type AppParams, requireMember } from '../../require-app';
import { AskButton } from './ask-button';
import { DeleteButton, PauseButton } from './close-section';
import { NameForm } from './name-form';
import { ProfileForm } from './profile-form';

export const metadata: Metadata = { title: 'Settings' };

export default async function SettingsPage(props: AppParams) {
  const { app, role } = await requireMember(props);
  const state = stateOf(app);
  const [{ approved, pending }, [origin]] = await Promise.all([readProfiles(app.id), listOrigins(app.id)]);
  const host = (origin ?? 'localhost').replace(/^https?:\/\//, '');
  const shown = pending ?? approved;
  return (
    <>
      <PageHead title="Settings" />
      {role !== 'viewer' && <PasskeyNotice />}
      <Section
        title="What users see"
        description="The name appears in the checkout, in sign-in e-mails and in users’ accounts."
      >
        <div className="mb-5 empty:hidden">
          <NameNotice app={app} canAsk={hasRight(role, 'develop') && state === 'enabled'} />
        </div>
        {app.review === 'approved' && (
          <ForRight role={role} right="develop">
            <NameForm partnerId={app.id} name={app.name} host={app.nameApprovedAt === null ? host : null} />
          </ForRight>
        )}
      </Section>
      {state !== 'deleted' && (
        <Section
          title="Profile"
          description="Shown in the checkout once an operator has approved it. A change waits, and users see the approved profile until then."
        >
          <ForRight role={role} right="develop">
            {pending && (
              <div className="mb-5">
                <Notice kind="info">This profile is waiting for approval.</Notice>
              </div>
            )}
            <ProfileForm key={shown?.hash} partnerId={app.id} {...writeProfile(shown)} />
          </ForRight>
        </Section>
      )}
      <Section title="App ID" description="Identifies this app in test events and when you contact us.">
        <CopyField label="app ID" value={app.id} />
        <p className="mt-3 text-sm text-muted">
          Created <Time at={app.createdAt.toISOString()} withClock={false} />
        </p>
      </Section>
      {state !== 'deleted' && (
        <Section
          title="Pause or delete"
          description="While an app is paused, it refuses requests, sign-ins and purchases. Deleting it ends all keys of its users."
        >
          <div className="flex flex-wrap items-center gap-3">
            {(state === 'enabled' || state === 'paused') && (
              <ForRight role={role} right="develop">
                <PauseButton partnerId={app.id} isPaused={state === 'paused'} />
              </ForRight>
            )}
            {hasRight(role, 'delete_app') && <DeleteButton partnerId={app.id} name={app.name} />}
          </div>
        </Section>
      )}
    </>
  );
}

function writeProfile(profile: Profile | null) {
  const logo = profile?.logo && Buffer.from(profile.logo).toString('base64');
  return {
    site: profile?.site ?? '',
    support: profile?.support ?? '',
    logo: logo ? `data:${profile.logoType};base64,${logo}` : '',
  };
}

type NoticeProps = { app: Partner; canAsk: boolean };

function NameNotice({ app, canAsk }: NoticeProps) {
  const { id, name, pendingName, nameApprovedAt, approvalAskedAt, review } = app;
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
      {approvalAskedAt !== null ? (
        <>
          {' '}
          You asked for approval on <Time at={approvalAskedAt.toISOString()} withClock={false} />.
        </>
      ) : (
        canAsk && (
          <div className="mt-3">
            <AskButton partnerId={id} />
          </div>
        )
      )}
    </Notice>
  );
}
