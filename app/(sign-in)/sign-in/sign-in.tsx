'use client';

import { WebAuthnAbortService } from '@simplewebauthn/browser';
import { type FormEvent, useEffect, useEffectEvent, useState } from 'react';
import { IssuerButtons } from '@/app/_session/issuer-buttons';
import { type PageTexts, speakPage } from '@/app/_session/page-words';
import { PasskeyButton } from '@/app/_session/passkey-button';
import { signInPath } from '@/app/_session/return-path';
import { describeRefusal } from '@/app/_session/shared-words';
import { signWithSuggestedPasskey } from '@/app/_session/sign-with-passkey';
import { Button } from '@/app/_ui/button';
import type { Challenge } from '@/app/_ui/code-entry';
import { Notice } from '@/app/_ui/notice';
import { TextField } from '@/app/_ui/text-field';
import { type Failure, useAction } from '@/app/_ui/use-action';
import type { Issuer } from '@/server/people/issuers';
import { joinSentences } from '@/texts/say';
import { sendCode } from './actions';
import { CodeForm } from './code-form';
import { describePasskey } from './describe-passkey';

type Props = {
  texts: PageTexts<'signIn'>;
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

/** A passkey, an issuer, or two steps: the e-mail address, then the code sent there. */
export function SignIn({ texts, returnTo, brand, invited, issuers, failure, pending }: Props) {
  const words = speakPage(texts);
  const [email, setEmail] = useState(pending?.email ?? invited ?? '');
  const [challenge, setChallenge] = useState<Challenge | null>(pending?.challenge ?? null);
  const goOn = () => window.location.assign(returnTo);
  if (challenge === null)
    return (
      <EmailForm
        words={words}
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
      words={words.shared}
      why={email === pending?.email ? words.shared.say.linkText : undefined}
      onSent={setChallenge}
      onOtherEmail={() => setChallenge(null)}
      onSignedIn={goOn}
    />
  );
}

const LOOKS_LIKE_EMAIL = /^[^\s@,;]+@[^\s@,;.]+\.[^\s@,;]+$/;

type EmailFormProps = Omit<Props, 'texts' | 'returnTo' | 'pending'> & {
  words: ReturnType<typeof speakPage<'signIn'>>;
  start: string;
  email: string;
  onEmail(email: string): void;
  onSent(challenge: Challenge): void;
  onSignedIn(): void;
};

function EmailForm(props: EmailFormProps) {
  const { words, brand, invited, issuers, start, email, onEmail, onSent, onSignedIn } = props;
  const { say, shared, language } = words;
  const { run, isRunning, failure, clearFailure } = useAction(sendCode);
  const [problem, setProblem] = useState<string>();
  const [refusal, setRefusal] = useState<string>();
  useSuggestedPasskey({
    onSignedIn,
    onRefused: (refused) => setRefusal(describePasskey(refused, words)),
  });

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (isRunning) return;
    const address = email.trim();
    if (!LOOKS_LIKE_EMAIL.test(address)) return setProblem(shared.say.emailInvalid);
    const sent = await run({ email: address });
    if (sent.ok && sent.value) {
      const { challengeId, resendInSeconds } = sent.value;
      onSent({ id: challengeId, resendInSeconds });
    }
  }

  return (
    <form onSubmit={submit} noValidate className="animate-appear">
      <h1 className="text-2xl font-semibold">{say.title({ brand })}</h1>
      <p className="mt-1.5 mb-6 text-muted">
        {joinSentences(language, [invited !== null && say.invited({ email: invited }), say.text])}
      </p>
      {props.failure !== undefined && (
        <div className="mb-4">
          <Notice kind="danger">{props.failure}</Notice>
        </div>
      )}
      <TextField
        label={shared.say.email}
        type="email"
        name="email"
        autoComplete="email webauthn"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
        placeholder="you@example.com"
        value={email}
        error={problem ?? (failure ? describeRefusal(failure, shared) : undefined)}
        onChange={(event) => {
          onEmail(event.target.value);
          setProblem(undefined);
          clearFailure();
        }}
      />
      <Button type="submit" size="large" busy={isRunning} className="mt-5 w-full">
        {shared.say.sendCode}
      </Button>
      <p className="my-4 flex items-center gap-3 text-sm text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        {shared.say.or}
      </p>
      <IssuerButtons issuers={issuers} start={start} label={shared.say.continueWith} />
      <div className="mt-2">
        <PasskeyButton
          label={say.passkey}
          refusal={refusal}
          describe={(refused) => describePasskey(refused, words)}
          onDone={onSignedIn}
        />
      </div>
    </form>
  );
}

type Suggestion = { onSignedIn(): void; onRefused(refusal: Failure): void };

/** Browsers that can list passkeys among the suggestions of the e-mail field. */
function useSuggestedPasskey({ onSignedIn, onRefused }: Suggestion): void {
  const offer = useEffectEvent(async () => {
    const signed = await signWithSuggestedPasskey();
    if (signed?.ok) onSignedIn();
    else if (signed) onRefused(signed);
  });
  useEffect(() => {
    void offer();
    return () => WebAuthnAbortService.cancelCeremony();
  }, []);
}
