import { readPageTexts, titled } from '@/app/_session/page-texts';
import { speakPage } from '@/app/_session/page-words';
import { readReturnPath } from '@/app/_session/return-path';
import { requireSession } from '@/app/_session/session';
import { SignOutButton } from '@/app/_session/sign-out-button';
import { withPart } from '@/app/_ui/with-part';
import { settings } from '@/server/base/env';
import { Sheet } from '../../sheet';
import { GoOn } from './go-on';

export const generateMetadata = titled('signIn', {});

type Props = { searchParams: Promise<{ return?: string | string[] }> };

/** For operators who signed in with a code and have a passkey. */
export default async function PasskeyPage({ searchParams }: Props) {
  const { email } = await requireSession();
  const returnTo = readReturnPath((await searchParams).return);
  const texts = await readPageTexts('signIn');
  const { say, shared } = speakPage(texts);
  return (
    <Sheet brand={settings().BRAND_NAME}>
      <h1 className="text-2xl font-semibold">{say.passkeyTitle}</h1>
      <p className="mt-1.5 mb-6 text-muted">
        {withPart(
          (shown) => say.passkeyText({ email: shown }),
          <strong className="font-medium wrap-anywhere text-text">{email}</strong>,
        )}
      </p>
      <GoOn texts={texts} returnTo={returnTo} />
      <SignOutButton label={shared.say.signOut} />
    </Sheet>
  );
}
