'use client';

import { useState } from 'react';
import { ArmedButton } from '../../_ui/armed-button';
import { Button } from '../../_ui/button';
import type { Messages } from '../messages';
import { StepTitle } from '../step-title';
import type { SignedIn, VisitState } from './api';
import { describeCodeFailure } from './describe-failure';

type Props = {
  say: Messages;
  visit: VisitState;
  email: string;
  /** Signs in with the other account. */
  change(): Promise<SignedIn>;
  onSignedIn(result: SignedIn): Promise<void>;
  onOtherEmail(): void;
};

/** The account does not change without a word. The address of the other one is not shown: anyone may hold this device. */
export function OtherAccount({ say, visit, email, change, onSignedIn, onOtherEmail }: Props) {
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function proceed() {
    setBusy(true);
    setError(undefined);
    try {
      await onSignedIn(await change());
    } catch (failure) {
      setError(describeCodeFailure(failure, say));
      setBusy(false);
    }
  }

  return (
    <section className="animate-appear flex flex-1 flex-col">
      <StepTitle>{say.otherAccountTitle(visit.app_name)}</StepTitle>
      <p className="mt-1.5 mb-6 wrap-anywhere text-muted">{say.otherAccountText(visit.app_name, email)}</p>
      <Button size="large" className="w-full" onClick={onOtherEmail}>
        {say.otherAccountRetry}
      </Button>
      <ArmedButton
        look="secondary"
        size="large"
        busy={busy}
        className="mt-2 h-auto min-h-12 w-full py-2"
        onClick={() => void proceed()}
      >
        <span className="min-w-0 whitespace-normal">
          {say.continueAs} <span className="wrap-anywhere">{email}</span>
        </span>
      </ArmedButton>
      <p role="alert" className="mt-2 text-sm text-danger empty:hidden">
        {error}
      </p>
    </section>
  );
}
