'use client';

import { type PageTexts, speakPage } from '@/app/_session/page-words';
import { PasskeyButton } from '@/app/_session/passkey-button';
import { describePasskey } from '../describe-passkey';

export function GoOn({ texts, returnTo }: { texts: PageTexts<'signIn'>; returnTo: string }) {
  const words = speakPage(texts);
  return (
    <PasskeyButton
      look="primary"
      label={words.say.passkeyUse}
      describe={(failure) => describePasskey(failure, words)}
      onDone={() => window.location.assign(returnTo)}
    />
  );
}
