'use client';

import { WebAuthnAbortService } from '@simplewebauthn/browser';
import { type FormEvent, useEffect, useEffectEvent, useState } from 'react';
import { IssuerButtons } from '@/app/_session/issuer-buttons';
import { PasskeyButton } from '@/app/_session/passkey-button';
import { signInPath } from '@/app/_session/return-path';
import { signWithSuggestedPasskey } from '@/app/_session/sign-with-passkey';
import { Button } from '@/app/_ui/button';
import type { Challenge } from '@/app/_ui/code-entry';
import { Notice } from '@/app/_ui/notice';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { messagesFor } from '@/app/checkout/messages';
import type { Issuer } from '@/server/people/issuers';
import { sendCode } from './actions';
import { CodeForm } from './code-form';

type Props = {
  returnTo: string;
  brand: string;
  /** The address that was invited to a team, if that is where the sign-in leads. */
  invited: string | null;
  issuers: Issuer[];
  /** Why the sign-in with an issuer did not succeed. */
  failure: string | undefined;
  /** The code that links an identity to the account of its address. */
  pending: { email: string; challenge: Challenge } | null;
};

const WORDS = messagesFor('en');

/** A passkey, an issuer, or two steps: the e-mail address, then the code sent there. */
export function SignIn({ returnTo, brand, invited, issuers, failure, pending }: Props) {
  const [email, setEmail] = useState(pending?.email ?? invited ?? '');
  const [challenge, setChallenge] = useState<Challenge | null>(pending?.challenge ?? null);
  const goOn = () => window.location.assign(returnTo);
  if (challenge === null)
    return (
      <EmailForm
        brand={brand}
        invited={invited}
        issuers={issuers}
        start={signInPath(returnTo)}
        failure={failure}
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
      say={WORDS}
      why={email === pending?.email ? WORDS.linkText : undefined}
      onSent={setChallenge}
      onOtherEmail={() => setChallenge(null)}
      onSignedIn={goOn}
    />
  );
}

const LOOKS_LIKE_EMAIL = /^[^\s@,;]+@[^\s@,;.]+\.[^\s@,;]+$/;

type EmailFormProps = Omit<Props, 'returnTo' | 'pending'> & {
  start: string;
  email: string;
  onEmail(email: string): void;
  onSent(challenge: Challenge): void;
  onSignedIn(): void;
};

function EmailForm(props: EmailFormProps) {
  const { brand, invited, issuers, start, email, onEmail, onSent, onSignedIn } = props;
  const { run, isRunning, failure, clearFailure } = useAction(sendCode);
  const [problem, setProblem] = useState<string>();
  const [refusal, setRefusal] = useState<string>();
  useSuggestedPasskey({ onSignedIn, onRefused: setRefusal });

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (isRunning) return;
    const address = email.trim();
    if (!LOOKS_LIKE_EMAIL.test(address)) return setProblem(WORDS.emailInvalid);
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
      {props.failure !== undefined && (
        <div className="mb-4">
          <Notice kind="danger">{props.failure}</Notice>
        </div>
      )}
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
        {WORDS.or}
      </p>
      <IssuerButtons issuers={issuers} start={start} label={WORDS.continueWith} />
      <div className="mt-2">
        <PasskeyButton label="Sign in with a passkey" refusal={refusal} onDone={onSignedIn} />
      </div>
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
