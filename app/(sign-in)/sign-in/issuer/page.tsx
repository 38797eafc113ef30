import type { Metadata } from 'next';
import { readReturnPath } from '@/app/_session/return-path';
import { requireSession } from '@/app/_session/session';
import { SignOutButton } from '@/app/_session/sign-out-button';
import { settings } from '@/server/base/env';
import { listIssuers } from '@/server/people/issuers';
import { Sheet } from '../../sheet';
import { GoToIssuer } from './go-to-issuer';

export const metadata: Metadata = { title: 'Sign in' };

type Props = { searchParams: Promise<{ return?: string | string[] }> };

/** For operators who have not signed in with the issuer of OIDC_ISSUER. */
export default async function IssuerPage({ searchParams }: Props) {
  const { email } = await requireSession();
  const returnTo = readReturnPath((await searchParams).return);
  const { BRAND_NAME, OIDC_NAME } = settings();
  return (
    <Sheet brand={BRAND_NAME}>
      <h1 className="text-2xl font-semibold">Continue with {OIDC_NAME}</h1>
      <p className="mt-1.5 mb-6 text-muted">
        You are signed in as <strong className="font-medium wrap-anywhere text-text">{email}</strong>. These
        pages open only after a sign-in with {OIDC_NAME}.
      </p>
      <GoToIssuer issuers={listIssuers().filter(({ provider }) => provider === 'oidc')} returnTo={returnTo} />
      <SignOutButton />
    </Sheet>
  );
}
