'use client';

import { useState } from 'react';
import { type Challenge, CodeEntry } from '@/app/_ui/code-entry';
import { useAction } from '@/app/_ui/use-action';
import type { Messages } from '@/app/checkout/messages';
import { enterCode, sendCode } from './actions';

type Props = {
  email: string;
  challenge: Challenge;
  say: Messages;
  /** Why this sign-in needs a code. */
  why?: string | undefined;
  onSent(challenge: Challenge): void;
  onOtherEmail(): void;
  onSignedIn(): void;
};

/** The same step as in the checkout. */
export function CodeForm({ email, challenge, say, why, onSent, onOtherEmail, onSignedIn }: Props) {
  const [hint, setHint] = useState(say.codeHint);
  const [isLeaving, setLeaving] = useState(false);
  const entry = useAction(enterCode);
  const another = useAction(sendCode);

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
        {why} {say.codeText} <strong className="font-medium wrap-anywhere text-text">{email}</strong>
      </p>
      <CodeEntry
        words={say}
        hint={hint}
        error={entry.failure?.message ?? another.failure?.message}
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
