import { readPageTexts, titled } from '@/app/_session/page-texts';
import { speakPage } from '@/app/_session/page-words';
import { readReturnPath } from '@/app/_session/return-path';
import { requireSession } from '@/app/_session/session';
import { SignOutButton } from '@/app/_session/sign-out-button';
import { withPart } from '@/app/_ui/with-part';
import { settings } from '@/server/base/env';
import { listIssuers } from '@/server/people/issuers';
import { Sheet } from '../../sheet';
import { GoToIssuer } from './go-to-issuer';

export const generateMetadata = titled('signIn', {});

type Props = { searchParams: Promise<{ return?: string | string[] }> };

/** For operators who have not signed in with the issuer of OIDC_ISSUER. */
export default async function IssuerPage({ searchParams }: Props) {
  const { email } = await requireSession();
  const returnTo = readReturnPath((await searchParams).return);
  const { BRAND_NAME, OIDC_NAME: issuer } = settings();
  const texts = await readPageTexts('signIn');
  const { say, shared } = speakPage(texts);
  return (
    <Sheet brand={BRAND_NAME}>
      <h1 className="text-2xl font-semibold">{say.issuerTitle({ issuer })}</h1>
      <p className="mt-1.5 mb-6 text-muted">
        {withPart(
          (shown) => say.issuerText({ email: shown, issuer }),
          <strong className="font-medium wrap-anywhere text-text">{email}</strong>,
        )}
      </p>
      <GoToIssuer
        shared={texts.shared}
        issuers={listIssuers().filter(({ provider }) => provider === 'oidc')}
        returnTo={returnTo}
      />
      <SignOutButton label={shared.say.signOut} />
    </Sheet>
  );
}
