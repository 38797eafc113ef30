import type { ReactNode } from 'react';
import { SignOutButton } from '@/app/_session/sign-out-button';
import { PageLink } from '@/app/_ui/page-link';
import { ToastProvider } from '@/app/_ui/toasts';
import { settings } from '@/server/base/env';

type Props = { back?: { href: string; label: string } | undefined; children: ReactNode };

/** A partner's page outside any app. */
export function PartnerFrame({ back, children }: Props) {
  return (
    <ToastProvider>
      <header className="mx-auto flex h-16 max-w-[1320px] items-center justify-between gap-4 px-4 sm:px-8">
        <PageLink href="/" className="flex items-center gap-2.5 font-semibold">
          <img src="/icon.svg" alt="" width="26" height="26" />
          {settings().BRAND_NAME}
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
