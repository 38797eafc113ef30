'use client';

import { useState } from 'react';
import { describeRefusal, type SharedWords } from '@/app/_session/shared-words';
import { type Challenge, CodeEntry } from '@/app/_ui/code-entry';
import { type Failure, useAction } from '@/app/_ui/use-action';
import { withPart } from '@/app/_ui/with-part';
import { joinSentences } from '@/texts/say';
import { enterCode, sendCode } from './actions';

type Props = {
  email: string;
  challenge: Challenge;
  words: SharedWords;
  /** Why this sign-in needs a code. */
  why?: string | undefined;
  onSent(challenge: Challenge): void;
  onOtherEmail(): void;
  onSignedIn(): void;
};

/** The same step as in the checkout. */
export function CodeForm({ email, challenge, words, why, onSent, onOtherEmail, onSignedIn }: Props) {
  const { say, language } = words;
  const [hint, setHint] = useState(say.codeHint);
  const [isLeaving, setLeaving] = useState(false);
  const entry = useAction(enterCode);
  const another = useAction(sendCode);

  const failure = entry.failure ?? another.failure;

  async function verify(code: string): Promise<boolean> {
    const entered = await entry.run({ email, challengeId: challenge.id, code });
    if (!entered.ok) return false;
    setLeaving(true);
    onSignedIn();
    return true;
  }

  function forgetFailures() {
    entry.clearFailure();
    another.clearFailure();
  }

  async function resend() {
    forgetFailures();
    const sent = await another.run({ email });
    if (!sent.ok || !sent.value) return;
    setHint(say.resent);
    onSent({ id: sent.value.challengeId, resendInSeconds: sent.value.resendInSeconds });
  }

  return (
    <section className="animate-appear">
      <h1 className="text-2xl font-semibold">{say.codeTitle}</h1>
      <p className="mt-1.5 mb-6 text-muted">
        {withPart(
          (shown) => joinSentences(language, [why, say.codeText({ email: shown })]),
          <strong className="font-medium wrap-anywhere text-text">{email}</strong>,
        )}
      </p>
      <CodeEntry
        words={say}
        hint={hint}
        error={failure ? describe(failure, words) : undefined}
        challenge={challenge}
        isBusy={entry.isRunning || isLeaving}
        onType={forgetFailures}
        onCode={verify}
        onResend={resend}
        onOtherEmail={onOtherEmail}
      />
    </section>
  );
}

/** The address was valid before: it now belongs to an account that has another. */
const describe = (failure: Failure, words: SharedWords): string =>
  failure.field === 'email' ? words.say.issuerFailures.moved : describeRefusal(failure, words);
