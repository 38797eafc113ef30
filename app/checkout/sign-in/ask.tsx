'use client';

import { useState } from 'react';
import { goToIssuer } from '@/app/_session/issuer-buttons';
import { ArmedButton } from '@/app/_ui/armed-button';
import type { Language } from '@/app/_ui/language';
import type { Issuer } from '@/server/people/issuers';
import { ContinueButton } from '../continue-button';
import { messagesFor } from '../messages';
import { StepTitle } from '../step-title';

type Props = { language: Language; issuer: Issuer; start: string; email: string };

/** Leaves for the issuer, or continues with the account of this browser. */
export function Ask({ language, issuer, start, email }: Props) {
  const say = messagesFor(language);
  const [isLeaving, setLeaving] = useState(false);
  return (
    <section className="animate-appear flex flex-1 flex-col">
      <StepTitle>{say.signInTitle}</StepTitle>
      <ArmedButton
        size="large"
        busy={isLeaving}
        className="mt-6 w-full"
        onClick={() => {
          setLeaving(true);
          void goToIssuer(issuer.provider, start);
        }}
      >
        {say.continueWith(issuer.name)}
      </ArmedButton>
      <ContinueButton
        say={say}
        email={email}
        look="secondary"
        className="mt-2"
        onClick={() => window.location.assign(start)}
      />
    </section>
  );
}
