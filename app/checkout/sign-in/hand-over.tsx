'use client';

import { useState } from 'react';
import { describeRefusal, type SharedTexts, speakShared } from '@/app/_session/shared-words';
import { useAction } from '@/app/_ui/use-action';
import { ContinueButton } from '../continue-button';
import { FullMessage } from '../panel';
import { StepTitle } from '../step-title';
import { signInToCheckout } from './actions';

type Props = {
  shared: SharedTexts;
  visitId: string;
  appName: string;
  email: string;
  checkoutOrigin: string;
};

/** The page around the checkout can open this window, but not click in it. */
export function HandOver({ shared, visitId, appName, email, checkoutOrigin }: Props) {
  const words = speakShared(shared);
  const { say } = words;
  const { run, isRunning, failure } = useAction(signInToCheckout);
  const [isOver, setOver] = useState(false);

  async function proceed() {
    const result = await run({ visitId });
    if (!result.ok || result.value === undefined) return;
    const opener = window.opener as Window | null;
    opener?.postMessage({ handOver: result.value }, checkoutOrigin);
    window.close();
    setOver(true);
  }

  // The issuer has cut the window off from the checkout, so it stays open.
  if (isOver) return <FullMessage title={say.noOpenerTitle}>{say.noOpenerText}</FullMessage>;

  return (
    <section className="animate-appear flex flex-1 flex-col">
      <StepTitle>{say.signInTitle}</StepTitle>
      <p className="mt-1.5 mb-6 text-muted">{say.knownText({ app: appName })}</p>
      <ContinueButton say={say} email={email} busy={isRunning} onClick={() => void proceed()} />
      <p role="alert" className="mt-2 text-sm text-danger empty:hidden">
        {failure && describeRefusal(failure, words)}
      </p>
      <p className="mt-4 text-sm text-muted">{say.emailPrivacy({ app: appName })}</p>
    </section>
  );
}
