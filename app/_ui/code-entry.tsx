'use client';

import { useEffect, useState } from 'react';
import { Button } from './button';
import { TextField } from './text-field';

const CODE_DIGITS = 6;

export type Challenge = { id: string; resendInSeconds: number };

type Props = {
  words: {
    code: string;
    codeIncomplete: string;
    signIn: string;
    resend: string;
    resendIn(given: { seconds: string }): string;
    otherEmail?: string;
  };
  hint: string;
  error: string | undefined;
  challenge: Challenge;
  isBusy: boolean;
  onType(): void;
  /** False when the code is wrong. */
  onCode(code: string): Promise<boolean>;
  onResend(): Promise<void>;
  onOtherEmail?: (() => void) | undefined;
};

/** The field for an e-mailed code, submitted with its last digit; used by every sign-in. */
export function CodeEntry({ words, hint, error, challenge, isBusy, onType, onCode, ...another }: Props) {
  const [code, setCode] = useState('');
  const [isIncomplete, setIncomplete] = useState(false);
  const { onResend, onOtherEmail } = another;

  async function send(digits: string) {
    if (!isBusy && !(await onCode(digits))) setCode('');
  }

  function type(typed: string) {
    // Codes are also pasted as "123 456" or "123-456".
    const digits = typed.replace(/\D/g, '').slice(0, CODE_DIGITS);
    setCode(digits);
    setIncomplete(false);
    onType();
    if (digits.length === CODE_DIGITS) void send(digits);
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (code.length === CODE_DIGITS) void send(code);
        else setIncomplete(true);
      }}
      noValidate
    >
      <TextField
        label={words.code}
        name="code"
        autoComplete="one-time-code"
        inputMode="numeric"
        autoFocus
        className="font-mono text-xl tracking-[0.35em]"
        value={code}
        error={isIncomplete ? words.codeIncomplete : error}
        hint={hint}
        readOnly={isBusy}
        onChange={(event) => type(event.target.value)}
      />
      <Button type="submit" size="large" busy={isBusy} className="mt-5 w-full">
        {words.signIn}
      </Button>
      <div className="mt-2 grid gap-1">
        <ResendButton
          key={challenge.id}
          words={words}
          waitSeconds={challenge.resendInSeconds}
          onResend={onResend}
        />
        {onOtherEmail && (
          <Button look="quiet" className="w-full" onClick={onOtherEmail}>
            {words.otherEmail}
          </Button>
        )}
      </div>
    </form>
  );
}

type ResendProps = Pick<Props, 'words' | 'onResend'> & { waitSeconds: number };

function ResendButton({ words, waitSeconds, onResend }: ResendProps) {
  const [left, setLeft] = useState(waitSeconds);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    const timer = setInterval(() => setLeft((seconds) => Math.max(0, seconds - 1)), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <Button
      look="quiet"
      busy={isBusy}
      disabled={left > 0}
      className="w-full tabular-nums"
      onClick={() => {
        setBusy(true);
        void onResend().finally(() => setBusy(false));
      }}
    >
      {left > 0 ? words.resendIn({ seconds: String(left) }) : words.resend}
    </Button>
  );
}
