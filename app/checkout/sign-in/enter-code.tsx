'use client';

import { useState } from 'react';
import { type SharedTexts, speakShared } from '@/app/_session/shared-words';
import type { Challenge } from '@/app/_ui/code-entry';
import { CodeForm } from '@/app/(sign-in)/sign-in/code-form';

type Props = { shared: SharedTexts; pending: { email: string; challenge: Challenge }; start: string };

/** The code that links the identity to the account of its address. */
export function EnterCode({ shared, pending, start }: Props) {
  const [challenge, setChallenge] = useState(pending.challenge);
  const words = speakShared(shared);
  return (
    <CodeForm
      email={pending.email}
      challenge={challenge}
      words={words}
      why={words.say.linkText}
      onSent={setChallenge}
      onOtherEmail={() => window.close()}
      onSignedIn={() => window.location.replace(start)}
    />
  );
}
