'use client';

import { useState } from 'react';
import { goToIssuer } from '@/app/_session/issuer-buttons';
import { type SharedTexts, speakShared } from '@/app/_session/shared-words';
import { ArmedButton } from '@/app/_ui/armed-button';
import type { Issuer } from '@/server/people/issuers';
import { ContinueButton } from '../continue-button';
import { StepTitle } from '../step-title';

type Props = { shared: SharedTexts; issuer: Issuer; start: string; email: string };

/** Leaves for the issuer, or continues with the account of this browser. */
export function Ask({ shared, issuer, start, email }: Props) {
  const { say } = speakShared(shared);
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
        {say.continueWith({ issuer: issuer.name })}
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
