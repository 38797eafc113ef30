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
};

/** Two steps: the e-mail address, then the code sent there. */
export function SignIn({ returnTo, brand }: Props) {
  const [email, setEmail] = useState('');
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  if (challenge === null)
    return <EmailForm brand={brand} email={email} onEmail={setEmail} onSent={setChallenge} />;
  return (
    <CodeForm
      email={email.trim()}
      challenge={challenge}
      onSent={setChallenge}
      onOtherEmail={() => setChallenge(null)}
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

function EmailForm({ brand, email, onEmail, onSent }: EmailFormProps) {
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
      <h1 className="text-2xl font-semibold">Sign in to {brand}</h1>
      <p className="mt-1.5 mb-6 text-muted">
        We’ll send you a code. If you are new, this creates your account.
      </p>
      <TextField
        label="E-mail"
        type="email"
        name="email"
        autoComplete="email"
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
      <Button type="submit" size="large" busy={isRunning} className="mt-4 w-full">
        Send code
      </Button>
    </form>
  );
}
