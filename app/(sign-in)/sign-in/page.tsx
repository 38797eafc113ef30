import { redirect } from 'next/navigation';
import { describeFailure, findPendingIdentity } from '@/app/_session/issuer-outcome';
import { readPageTexts, titled } from '@/app/_session/page-texts';
import { readReturnPath } from '@/app/_session/return-path';
import { findSession } from '@/app/_session/session';
import { speakShared } from '@/app/_session/shared-words';
import { settings } from '@/server/base/env';
import { findInvitedAddress } from '@/server/partners/invitations';
import { listIssuers } from '@/server/people/issuers';
import { Sheet } from '../sheet';
import { SignIn } from './sign-in';

export const generateMetadata = titled('signIn', {});

type Props = { searchParams: Promise<{ return?: string | string[]; failure?: string | string[] }> };

export default async function SignInPage({ searchParams }: Props) {
  const query = await searchParams;
  const returnTo = readReturnPath(query.return);
  const texts = await readPageTexts('signIn');
  const { say } = speakShared(texts.shared);
  const failure = describeFailure(query.failure, say);
  const pending = await findPendingIdentity();
  if (pending === null && failure === undefined && (await findSession()) !== null) redirect(returnTo);
  const { BRAND_NAME: brand, SANDBOX_MAIL_URL: mailbox } = settings();
  return (
    <Sheet
      brand={brand}
      footer={
        mailbox !== undefined && (
          <>
            {say.mailCaught}{' '}
            <a
              href="/dev/mail"
              target="_blank"
              rel="noreferrer"
              className="inline-block py-2 underline hover:text-text"
            >
              {say.mailOpen}
            </a>
          </>
        )
      }
    >
      <SignIn
        texts={texts}
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
