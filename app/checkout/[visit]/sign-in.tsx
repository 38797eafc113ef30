'use client';

import { type FormEvent, useEffect, useState } from 'react';
import { Button } from '../../_ui/button';
import type { Language } from '../../_ui/language';
import { TextField } from '../../_ui/text-field';
import type { Messages } from '../messages';
import { StepTitle } from '../step-title';
import { type Api, failureCode, type VisitState } from './api';
import { ContinueAs } from './continue-as';
import { describeFailure } from './describe-failure';

type Props = {
  say: Messages;
  language: Language;
  api: Api;
  appName: string;
  visit: VisitState;
  /** Somebody is recognised by a key already and has to prove to be present. */
  isStepUp: boolean;
  onSignedIn(result: { sign_in_token: string; state: VisitState }): Promise<void>;
  onBuy?: (() => void) | undefined;
  onBack?: (() => void) | undefined;
};

type Challenge = { id: string; email: string; resendIn: number };

export function SignIn(props: Props) {
  const [email, setEmail] = useState('');
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  const [knownAs, setKnownAs] = useState(props.visit.device_email);
  if (knownAs !== null) return <ContinueAs {...props} email={knownAs} onOther={() => setKnownAs(null)} />;
  if (challenge === null) {
    return <EmailForm {...props} email={email} onEmail={setEmail} onSent={setChallenge} />;
  }
  return (
    <CodeForm
      {...props}
      challenge={challenge}
      onSent={setChallenge}
      onOtherEmail={() => setChallenge(null)}
    />
  );
}

const LOOKS_LIKE_EMAIL = /^[^\s@,;]+@[^\s@,;]+\.[^\s@,;]+$/;

function EmailForm({
  say,
  language,
  api,
  appName,
  isStepUp,
  email,
  onEmail,
  onSent,
  onBuy,
  onBack,
}: Props & { email: string; onEmail(email: string): void; onSent(challenge: Challenge): void }) {
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (busy) return;
    const address = email.trim();
    if (!LOOKS_LIKE_EMAIL.test(address)) return setError(say.emailInvalid);
    setBusy(true);
    try {
      const sent = await api.sendCode(address, language);
      onSent({ id: sent.challenge_id, email: address, resendIn: sent.resend_in });
    } catch (failure) {
      setError(failureCode(failure) === 'invalid_request' ? say.emailInvalid : describeFailure(failure, say));
      setBusy(false);
    }
  }

  return (
    <form onSubmit={submit} noValidate className="animate-appear flex flex-1 flex-col">
      <StepTitle focus={false}>{isStepUp ? say.stepUpTitle : say.signInTitle}</StepTitle>
      <p className="mt-1.5 mb-6 text-muted">{isStepUp ? say.stepUpText(appName) : say.signInText(appName)}</p>
      <TextField
        label={say.email}
        type="email"
        name="email"
        autoComplete="email"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
        placeholder={say.emailPlaceholder}
        value={email}
        error={error}
        hint={say.emailPrivacy(appName)}
        onChange={(event) => {
          onEmail(event.target.value);
          setError(undefined);
        }}
      />
      <Button type="submit" size="large" busy={busy} className="mt-4 w-full">
        {say.sendCode}
      </Button>
      {onBuy && (
        <Button look="quiet" className="mt-2 w-full" onClick={onBuy}>
          {say.buyInstead}
        </Button>
      )}
      {onBack && (
        <Button look="quiet" className="mt-2 w-full" onClick={onBack}>
          {say.back}
        </Button>
      )}
    </form>
  );
}

const CODE_DIGITS = 6;

function CodeForm({
  say,
  language,
  api,
  challenge,
  onSent,
  onOtherEmail,
  onSignedIn,
}: Props & { challenge: Challenge; onSent(challenge: Challenge): void; onOtherEmail(): void }) {
  const [code, setCode] = useState('');
  const [error, setError] = useState<string>();
  const [note, setNote] = useState<string>(say.codeHint);
  const [busy, setBusy] = useState(false);

  async function verify(digits: string) {
    setBusy(true);
    try {
      await onSignedIn(await api.verifyCode(challenge.id, challenge.email, digits));
    } catch (failure) {
      const reason = failureCode(failure);
      setCode('');
      setError(
        reason === 'invalid_code'
          ? say.codeInvalid
          : reason === 'code_expired'
            ? say.codeExpired
            : describeFailure(failure, say),
      );
      setBusy(false);
    }
  }

  function enter(typed: string) {
    // Codes are pasted as "123 456" or "123-456" too.
    const digits = typed.replace(/\D/g, '').slice(0, CODE_DIGITS);
    setCode(digits);
    setError(undefined);
    if (digits.length === CODE_DIGITS && !busy) void verify(digits);
  }

  async function resend() {
    try {
      const sent = await api.sendCode(challenge.email, language);
      setNote(say.resent);
      setError(undefined);
      onSent({ ...challenge, id: sent.challenge_id, resendIn: sent.resend_in });
    } catch (failure) {
      setError(describeFailure(failure, say));
    }
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) void verify(code);
      }}
      noValidate
      className="animate-appear flex flex-1 flex-col"
    >
      <StepTitle focus={false}>{say.codeTitle}</StepTitle>
      <p className="mt-1.5 mb-6 text-muted">
        {say.codeText} <strong className="font-medium wrap-anywhere text-text">{challenge.email}</strong>
      </p>
      <TextField
        label={say.code}
        name="code"
        autoComplete="one-time-code"
        inputMode="numeric"
        autoFocus
        className="font-mono text-xl tracking-[0.35em]"
        value={code}
        error={error}
        hint={note}
        readOnly={busy}
        onChange={(event) => enter(event.target.value)}
      />
      <Button
        type="submit"
        size="large"
        busy={busy}
        disabled={code.length < CODE_DIGITS}
        className="mt-4 w-full"
      >
        {say.signIn}
      </Button>
      <div className="mt-2 grid gap-1">
        <ResendButton key={challenge.id} say={say} waitSeconds={challenge.resendIn} onResend={resend} />
        <Button look="quiet" className="w-full" onClick={onOtherEmail}>
          {say.otherEmail}
        </Button>
      </div>
    </form>
  );
}

function ResendButton({
  say,
  waitSeconds,
  onResend,
}: {
  say: Messages;
  waitSeconds: number;
  onResend(): Promise<void>;
}) {
  const [left, setLeft] = useState(waitSeconds);
  const [busy, setBusy] = useState(false);
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
      onClick={() => {
        setBusy(true);
        void onResend().finally(() => setBusy(false));
      }}
    >
      {left > 0 ? say.resendIn(left) : say.resend}
    </Button>
  );
}
