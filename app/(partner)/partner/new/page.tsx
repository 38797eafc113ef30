import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { PresenceDialog } from '@/app/_session/presence-dialog';
import { requireSession } from '@/app/_session/session';
import { SignOutButton } from '@/app/_session/sign-out-button';
import { Notice } from '@/app/_ui/notice';
import { PageLink } from '@/app/_ui/page-link';
import { ToastProvider } from '@/app/_ui/toasts';
import { settings } from '@/server/env';
import { listOwnedPartners } from '@/server/partners/owner';
import { NewAppForm } from './new-app-form';

export const metadata: Metadata = { title: 'New app' };

export default async function NewAppPage() {
  const { email } = await requireSession();
  const { BRAND_NAME: brand, PARTNER_SIGNUP: mode } = settings();
  const newest = (await listOwnedPartners(email)).at(-1);
  return (
    <Frame brand={brand} back={newest && { href: `/partner/${newest.id}`, label: `Back to ${newest.name}` }}>
      <h1 className="text-2xl font-semibold tracking-tight">
        {newest ? 'New app' : 'Let your users bring their own credits'}
      </h1>
      <p className="mt-2 mb-8 text-muted">
        {newest
          ? 'With its own key, users, commission and earnings.'
          : 'Your app can call any model with a user’s key. Users pay for what they use, you earn a commission on each request, and there is no monthly fee.'}
      </p>
      {mode === 'closed' ? (
        <Notice kind="info">
          The operator of this service registers new apps. Ask them to create yours for the e-mail address you
          signed in with; it then appears here.
        </Notice>
      ) : (
        <>
          {mode === 'approval' && (
            <div className="mb-6">
              <Notice kind="info">
                New apps are reviewed before they go live. You can set everything up in the meantime; keys and
                checkout start working once yours is approved.
              </Notice>
            </div>
          )}
          <PresenceDialog>
            <NewAppForm />
          </PresenceDialog>
        </>
      )}
    </Frame>
  );
}

type FrameProps = { brand: string; back: { href: string; label: string } | undefined; children: ReactNode };

function Frame({ brand, back, children }: FrameProps) {
  return (
    <ToastProvider>
      <header className="mx-auto flex h-16 max-w-[1320px] items-center justify-between gap-4 px-4 sm:px-8">
        <PageLink href="/" className="flex items-center gap-2.5 font-semibold">
          <img src="/icon.svg" alt="" width="26" height="26" />
          {brand}
          <span className="font-normal text-muted">Partner</span>
        </PageLink>
        <SignOutButton />
      </header>
      <main className="mx-auto max-w-[560px] px-4 pt-8 pb-16 sm:pt-16">
        {back && (
          <p className="mb-4 text-sm">
            <PageLink href={back.href} className="-my-3 inline-block py-3 text-muted hover:text-text">
              ← {back.label}
            </PageLink>
          </p>
        )}
        {children}
      </main>
    </ToastProvider>
  );
}
