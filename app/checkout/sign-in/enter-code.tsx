'use client';

import { useState } from 'react';
import type { Challenge } from '@/app/_ui/code-entry';
import type { Language } from '@/app/_ui/language';
import { CodeForm } from '@/app/(sign-in)/sign-in/code-form';
import { messagesFor } from '../messages';

type Props = { language: Language; pending: { email: string; challenge: Challenge }; start: string };

/** The code that links the identity to the account of its address. */
export function EnterCode({ language, pending, start }: Props) {
  const [challenge, setChallenge] = useState(pending.challenge);
  const say = messagesFor(language);
  return (
    <CodeForm
      email={pending.email}
      challenge={challenge}
      say={say}
      why={say.linkText}
      onSent={setChallenge}
      onOtherEmail={() => window.close()}
      onSignedIn={() => window.location.replace(start)}
    />
  );
}
