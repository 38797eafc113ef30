'use client';

import { type FormEvent, useState } from 'react';
import { Button } from '@/app/_ui/button';
import type { Challenge } from '@/app/_ui/code-entry';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { sendCode } from './actions';
import { CodeForm } from './code-form';

type Props = {
  returnTo: string;
  brand: string;
  /** The address of a signed-in user who only has to confirm it again. */
  signedInAs: string | null;
};

/** Two steps: the e-mail address, then the code sent there. */
export function SignIn({ returnTo, brand, signedInAs }: Props) {
  const [email, setEmail] = useState(signedInAs ?? '');
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  if (challenge === null)
    return (
      <EmailForm
        brand={brand}
        signedInAs={signedInAs}
        email={email}
        onEmail={setEmail}
        onSent={setChallenge}
      />
    );
  return (
    <CodeForm
      email={email.trim()}
      challenge={challenge}
      onSent={setChallenge}
      onOtherEmail={signedInAs === null ? () => setChallenge(null) : undefined}
      onSignedIn={() => window.location.assign(returnTo)}
    />
  );
}

const LOOKS_LIKE_EMAIL = /^[^\s@,;]+@[^\s@,;]+\.[^\s@,;]+$/;

type EmailFormProps = Omit<Props, 'returnTo'> & {
  email: string;
  onEmail(email: string): void;
  onSent(challenge: Challenge): void;
};

function EmailForm({ brand, signedInAs, email, onEmail, onSent }: EmailFormProps) {
  const { run, isRunning, failure, clearFailure } = useAction(sendCode);
  const [problem, setProblem] = useState<string>();

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (isRunning) return;
    const address = email.trim();
    if (!LOOKS_LIKE_EMAIL.test(address)) return setProblem('Enter a complete e-mail address.');
    const sent = await run({ email: address });
    if (sent.ok && sent.value) {
      const { challengeId, resendInSeconds } = sent.value;
      onSent({ id: challengeId, resendInSeconds });
    }
  }

  return (
    <form onSubmit={submit} noValidate className="animate-appear">
      <h1 className="text-2xl font-semibold">
        {signedInAs === null ? `Sign in to ${brand}` : 'Confirm that it’s you'}
      </h1>
      <p className="mt-1.5 mb-6 text-muted">
        {signedInAs === null
          ? 'We’ll send you a code. If you are new, this creates your account.'
          : 'This page needs a fresh code. We’ll send it to your e-mail address.'}
      </p>
      <TextField
        label="E-mail"
        type="email"
        name="email"
        autoComplete="email"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus={signedInAs === null}
        readOnly={signedInAs !== null}
        placeholder="you@example.com"
        value={email}
        error={problem ?? failure?.message}
        onChange={(event) => {
          onEmail(event.target.value);
          setProblem(undefined);
          clearFailure();
        }}
      />
      <Button type="submit" size="large" busy={isRunning} className="mt-4 w-full">
        Send code
      </Button>
    </form>
  );
}
