'use client';

import { useState } from 'react';
import type { Language } from '@/texts/languages';
import { Button } from '../../_ui/button';
import { ContinueButton } from '../continue-button';
import type { Messages } from '../messages';
import { StepTitle } from '../step-title';
import type { SignedIn, VisitState } from './api';
import { describeCodeFailure } from './describe-failure';

type Props = {
  say: Messages;
  language: Language;
  visit: VisitState;
  email: string;
  /** Signs in with the other account. */
  change(): Promise<SignedIn>;
  onSignedIn(result: SignedIn): Promise<void>;
  onOtherEmail(): void;
};

/** The account does not change without a word. The address of the other one is not shown: anyone may hold this device. */
export function OtherAccount({ visit, email, change, onSignedIn, onOtherEmail, ...words }: Props) {
  const { say } = words;
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function proceed() {
    setBusy(true);
    setError(undefined);
    try {
      await onSignedIn(await change());
    } catch (failure) {
      setError(describeCodeFailure(failure, words));
      setBusy(false);
    }
  }

  return (
    <section className="animate-appear flex flex-1 flex-col">
      <StepTitle>{say.otherAccountTitle({ app: visit.app_name })}</StepTitle>
      <p className="mt-1.5 mb-6 wrap-anywhere text-muted">
        {say.otherAccountText({ app: visit.app_name, email })}
      </p>
      <Button size="large" className="w-full" onClick={onOtherEmail}>
        {say.otherAccountRetry}
      </Button>
      <ContinueButton
        say={say}
        email={email}
        look="secondary"
        busy={busy}
        className="mt-2"
        onClick={() => void proceed()}
      />
      <p role="alert" className="mt-2 text-sm text-danger empty:hidden">
        {error}
      </p>
    </section>
  );
}
