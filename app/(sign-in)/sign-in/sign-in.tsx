'use client';

import { WebAuthnAbortService } from '@simplewebauthn/browser';
import { type FormEvent, useEffect, useEffectEvent, useState } from 'react';
import { PasskeyButton } from '@/app/_session/passkey-button';
import { signWithSuggestedPasskey } from '@/app/_session/sign-with-passkey';
import { Button } from '@/app/_ui/button';
import type { Challenge } from '@/app/_ui/code-entry';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { messagesFor } from '@/app/checkout/messages';
import { sendCode } from './actions';
import { CodeForm } from './code-form';

type Props = {
  returnTo: string;
  brand: string;
  /** The address that was invited to a team, if that is where the sign-in leads. */
  invited: string | null;
};

/** A passkey, or two steps: the e-mail address, then the code sent there. */
export function SignIn({ returnTo, brand, invited }: Props) {
  const [email, setEmail] = useState(invited ?? '');
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  const goOn = () => window.location.assign(returnTo);
  if (challenge === null)
    return (
      <EmailForm
        brand={brand}
        invited={invited}
        email={email}
        onEmail={setEmail}
        onSent={setChallenge}
        onSignedIn={goOn}
      />
    );
  return (
    <CodeForm
      email={email.trim()}
      challenge={challenge}
      onSent={setChallenge}
      onOtherEmail={() => setChallenge(null)}
      onSignedIn={goOn}
    />
  );
}

const LOOKS_LIKE_EMAIL = /^[^\s@,;]+@[^\s@,;.]+\.[^\s@,;]+$/;

type EmailFormProps = Omit<Props, 'returnTo'> & {
  email: string;
  onEmail(email: string): void;
  onSent(challenge: Challenge): void;
  onSignedIn(): void;
};

function EmailForm({ brand, invited, email, onEmail, onSent, onSignedIn }: EmailFormProps) {
  const { run, isRunning, failure, clearFailure } = useAction(sendCode);
  const [problem, setProblem] = useState<string>();
  const [refusal, setRefusal] = useState<string>();
  useSuggestedPasskey({ onSignedIn, onRefused: setRefusal });

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (isRunning) return;
    const address = email.trim();
    if (!LOOKS_LIKE_EMAIL.test(address)) return setProblem(messagesFor('en').emailInvalid);
    const sent = await run({ email: address });
    if (sent.ok && sent.value) {
      const { challengeId, resendInSeconds } = sent.value;
      onSent({ id: challengeId, resendInSeconds });
    }
  }

  return (
    <form onSubmit={submit} noValidate className="animate-appear">
      <h1 className="text-2xl font-semibold">Sign in to {brand}</h1>
      <p className="mt-1.5 mb-6 text-muted">
        {invited !== null && `You are invited to a team. Sign in as ${invited} to answer. `}
        We’ll send you a code. If you are new, this creates your account.
      </p>
      <TextField
        label="E-mail"
        type="email"
        name="email"
        autoComplete="email webauthn"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
        placeholder="you@example.com"
        value={email}
        error={problem ?? failure?.message}
        onChange={(event) => {
          onEmail(event.target.value);
          setProblem(undefined);
          clearFailure();
        }}
      />
      <Button type="submit" size="large" busy={isRunning} className="mt-5 w-full">
        Send code
      </Button>
      <p className="my-4 flex items-center gap-3 text-sm text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        or
      </p>
      <PasskeyButton label="Sign in with a passkey" refusal={refusal} onDone={onSignedIn} />
    </form>
  );
}

type Suggestion = { onSignedIn(): void; onRefused(refusal: string): void };

/** Browsers that can list passkeys among the suggestions of the e-mail field. */
function useSuggestedPasskey({ onSignedIn, onRefused }: Suggestion): void {
  const offer = useEffectEvent(async () => {
    const signed = await signWithSuggestedPasskey();
    if (signed?.ok) onSignedIn();
    else if (signed) onRefused(signed.message);
  });
  useEffect(() => {
    void offer();
    return () => WebAuthnAbortService.cancelCeremony();
  }, []);
}
