'use client';

import { useEffect, useState } from 'react';
import { Button } from '@/app/_ui/button';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { enterCode, sendCode } from './actions';
import type { Challenge } from './sign-in';

const CODE_DIGITS = 6;

type Props = {
  email: string;
  challenge: Challenge;
  onSent(challenge: Challenge): void;
  onOtherEmail: (() => void) | undefined;
  onSignedIn(): void;
};

export function CodeForm({ email, challenge, onSent, onOtherEmail, onSignedIn }: Props) {
  const [code, setCode] = useState('');
  const [hint, setHint] = useState('The code is valid for 10 minutes.');
  const [isLeaving, setLeaving] = useState(false);
  const entry = useAction(enterCode);
  const another = useAction(sendCode);
  const isBusy = entry.isRunning || isLeaving;

  async function verify(digits: string) {
    const entered = await entry.run({ email, challengeId: challenge.id, code: digits });
    if (!entered.ok) return setCode('');
    setLeaving(true);
    onSignedIn();
  }

  function type(typed: string) {
    // Codes are pasted as "123 456" or "123-456" too.
    const digits = typed.replace(/\D/g, '').slice(0, CODE_DIGITS);
    setCode(digits);
    entry.clearFailure();
    another.clearFailure();
    if (digits.length === CODE_DIGITS && !isBusy) void verify(digits);
  }

  async function resend() {
    entry.clearFailure();
    const sent = await another.run({ email });
    if (!sent.ok || !sent.value) return;
    setHint('A new code is on its way. The old one no longer works.');
    onSent({ id: sent.value.challengeId, resendInSeconds: sent.value.resendInSeconds });
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void verify(code);
      }}
      noValidate
      className="animate-appear"
    >
      <h1 className="text-2xl font-semibold">Check your mail</h1>
      <p className="mt-1.5 mb-6 text-muted">
        We sent a six-digit code to <strong className="font-medium wrap-anywhere text-text">{email}</strong>
      </p>
      <TextField
        label="Code"
        name="code"
        autoComplete="one-time-code"
        inputMode="numeric"
        autoFocus
        className="font-mono text-xl tracking-[0.35em]"
        value={code}
        error={entry.failure?.message ?? another.failure?.message}
        hint={hint}
        readOnly={isBusy}
        onChange={(event) => type(event.target.value)}
      />
      <Button
        type="submit"
        size="large"
        busy={isBusy}
        disabled={code.length < CODE_DIGITS}
        className="mt-4 w-full"
      >
        Sign in
      </Button>
      <div className="mt-2 grid gap-1">
        <ResendButton
          key={challenge.id}
          waitSeconds={challenge.resendInSeconds}
          busy={another.isRunning}
          onResend={resend}
        />
        {onOtherEmail && (
          <Button look="quiet" className="w-full" onClick={onOtherEmail}>
            Use another e-mail
          </Button>
        )}
      </div>
    </form>
  );
}

type ResendProps = { waitSeconds: number; busy: boolean; onResend(): Promise<void> };

function ResendButton({ waitSeconds, busy, onResend }: ResendProps) {
  const [left, setLeft] = useState(waitSeconds);
  useEffect(() => {
    const timer = setInterval(() => setLeft((seconds) => Math.max(0, seconds - 1)), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <Button
      look="quiet"
      busy={busy}
      disabled={left > 0}
      className="w-full tabular-nums"
      onClick={() => void onResend()}
    >
      {left > 0 ? `Send a new code in ${left} s` : 'Send a new code'}
    </Button>
  );
}
