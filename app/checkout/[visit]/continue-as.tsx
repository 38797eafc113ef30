'use client';

import { useState } from 'react';
import type { Language } from '@/texts/languages';
import { Button } from '../../_ui/button';
import { ContinueButton } from '../continue-button';
import type { Messages } from '../messages';
import { StepTitle } from '../step-title';
import { type Api, failureCode, type VisitState } from './api';
import { describeFailure } from './describe-failure';

type Props = {
  say: Messages;
  language: Language;
  api: Api;
  visit: VisitState;
  /** Masked. */
  email: string;
  isStepUp: boolean;
  onSignedIn(result: { sign_in_token: string; state: VisitState }): Promise<void>;
  onOther(): void;
  onBuy?: (() => void) | undefined;
  onBack?: (() => void) | undefined;
};

/** Signs in a user who is already signed in on this device, with one click. The app alone cannot do that. */
export function ContinueAs({
  api,
  visit,
  email,
  isStepUp,
  onSignedIn,
  onOther,
  onBuy,
  onBack,
  ...words
}: Props) {
  const { say } = words;
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function proceed() {
    setBusy(true);
    setError(undefined);
    try {
      const { sign_in_token } = await api.issueToken();
      await onSignedIn({ sign_in_token, state: await api.readVisit() });
    } catch (failure) {
      // The device was signed out in the meantime, so a code is needed.
      if (failureCode(failure) === 'step_up_required') return onOther();
      setError(describeFailure(failure, words));
      setBusy(false);
    }
  }

  return (
    <section className="animate-appear flex flex-1 flex-col">
      <StepTitle>{isStepUp ? say.stepUpTitle : say.signInTitle}</StepTitle>
      <p className="mt-1.5 mb-6 text-muted">{say.knownText({ app: visit.app_name })}</p>
      <ContinueButton say={say} email={email} busy={busy} onClick={() => void proceed()} />
      <p role="alert" className="mt-2 text-sm text-danger empty:hidden">
        {error}
      </p>
      <Button look="quiet" className="mt-2 w-full" onClick={onOther}>
        {say.otherEmail}
      </Button>
      {onBuy && (
        <Button look="quiet" className="mt-1 w-full" onClick={onBuy}>
          {say.buyInstead}
        </Button>
      )}
      {onBack && (
        <Button look="quiet" className="mt-1 w-full" onClick={onBack}>
          {say.back}
        </Button>
      )}
      <p className="mt-4 text-sm text-muted">{say.emailPrivacy({ app: visit.app_name })}</p>
    </section>
  );
}
