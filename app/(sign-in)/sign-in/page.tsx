import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import { describeFailure, findPendingIdentity } from '@/app/_session/issuer-outcome';
import { readReturnPath } from '@/app/_session/return-path';
import { findSession } from '@/app/_session/session';
import { messagesFor } from '@/app/checkout/messages';
import { settings } from '@/server/base/env';
import { findInvitedAddress } from '@/server/partners/invitations';
import { listIssuers } from '@/server/people/issuers';
import { Sheet } from '../sheet';
import { SignIn } from './sign-in';

export const metadata: Metadata = { title: 'Sign in' };

type Props = { searchParams: Promise<{ return?: string | string[]; failure?: string | string[] }> };

export default async function SignInPage({ searchParams }: Props) {
  const query = await searchParams;
  const returnTo = readReturnPath(query.return);
  const failure = describeFailure(query.failure, messagesFor('en'));
  const pending = await findPendingIdentity();
  if (pending === null && failure === undefined && (await findSession()) !== null) redirect(returnTo);
  const { BRAND_NAME: brand, SANDBOX_MAIL_URL: mailbox } = settings();
  return (
    <Sheet
      brand={brand}
      footer={
        mailbox !== undefined && (
          <a
            href="/dev/mail"
            target="_blank"
            rel="noreferrer"
            className="inline-block py-2 underline hover:text-text"
          >
            Sandbox: e-mail is not sent. Open the test mailbox
          </a>
        )
      }
    >
      <SignIn
        returnTo={returnTo}
        brand={brand}
        invited={await findInvitedAddress(returnTo)}
        issuers={listIssuers()}
        failure={failure}
        pending={pending}
      />
    </Sheet>
  );
}
