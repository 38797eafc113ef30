'use client';

import { type FormEvent, useState } from 'react';
import type { Language } from '@/texts/languages';
import { Button } from '../../_ui/button';
import { type Challenge, CodeEntry } from '../../_ui/code-entry';
import { TextField } from '../../_ui/text-field';
import { withPart } from '../../_ui/with-part';
import type { Messages } from '../messages';
import { StepTitle } from '../step-title';
import {
  type Api,
  type EnteredCode,
  failureCode,
  RequestFailed,
  type SignedIn,
  type VisitState,
} from './api';
import { ContinueAs } from './continue-as';
import { describeCodeFailure, describeFailure } from './describe-failure';
import { IssuerWindows, type SignInWindow } from './issuer-windows';
import { MailHint } from './mail-hint';
import { OtherAccount } from './other-account';

type Props = {
  say: Messages;
  language: Language;
  api: Api;
  visit: VisitState;
  /** The test mailbox, in an installation that sends no mail. */
  mailUrl: string | null;
  /** A key already identifies the user, who only confirms their identity. */
  isStepUp: boolean;
  /** The promotion code that the user is confirming their identity for. */
  promotionCode?: string | undefined;
  signIn: SignInWindow;
  onSignedIn(result: SignedIn): Promise<void>;
  onBuy?: (() => void) | undefined;
  onBack?: (() => void) | undefined;
};

type SentChallenge = Challenge & { email: string };
/** The user has proven to be another than the one who is known. */
type Other = { email: string; change(): Promise<SignedIn> };

export function SignIn(props: Props) {
  const [email, setEmail] = useState(props.visit.email ?? '');
  const [other, setOther] = useState<Other | null>(null);
  const [challenge, setChallenge] = useState<SentChallenge | null>(null);
  const [knownAs, setKnownAs] = useState(props.visit.device_email);
  function startAgain() {
    setOther(null);
    setChallenge(null);
  }

  if (knownAs !== null) return <ContinueAs {...props} email={knownAs} onOther={() => setKnownAs(null)} />;
  if (other !== null) return <OtherAccount {...props} {...other} onOtherEmail={startAgain} />;
  if (challenge === null) {
    return <EmailForm {...props} email={email} onEmail={setEmail} onSent={setChallenge} onOther={setOther} />;
  }
  return (
    <CodeForm
      {...props}
      challenge={challenge}
      onSent={setChallenge}
      onOther={setOther}
      onOtherEmail={startAgain}
    />
  );
}

const LOOKS_LIKE_EMAIL = /^[^\s@,;]+@[^\s@,;.]+\.[^\s@,;]+$/;

type EmailFormProps = Props & {
  email: string;
  onEmail(email: string): void;
  onSent(challenge: SentChallenge): void;
  onOther(other: Other): void;
};

function EmailForm({
  say,
  language,
  api,
  visit,
  isStepUp,
  email,
  onEmail,
  onSent,
  promotionCode,
  onBuy,
  onBack,
  ...props
}: EmailFormProps) {
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
      onSent({ id: sent.challenge_id, email: address, resendInSeconds: sent.resend_in });
    } catch (failure) {
      setError(
        failureCode(failure) === 'invalid_request'
          ? say.emailInvalid
          : describeFailure(failure, { say, language }),
      );
      setBusy(false);
    }
  }

  return (
    <form onSubmit={submit} noValidate className="animate-appear flex flex-1 flex-col">
      <StepTitle focus={false}>{isStepUp ? say.stepUpTitle : say.signInTitle}</StepTitle>
      <p className="mt-1.5 mb-6 wrap-anywhere text-muted">
        {promotionCode !== undefined
          ? say.stepUpForCode({ code: promotionCode })
          : isStepUp
            ? say.stepUpText({ app: visit.app_name })
            : say.signInText({ app: visit.app_name })}
      </p>
      <TextField
        label={say.email}
        type="email"
        name="email"
        autoComplete="email"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
        placeholder="you@example.com"
        value={email}
        error={error}
        hint={say.emailPrivacy({ app: visit.app_name })}
        onChange={(event) => {
          onEmail(event.target.value);
          setError(undefined);
        }}
      />
      <Button type="submit" size="large" busy={busy} className="mt-5 w-full">
        {say.sendCode}
      </Button>
      <IssuerWindows
        say={say}
        language={language}
        api={api}
        signIn={props.signIn}
        onOther={props.onOther}
        onSignedIn={props.onSignedIn}
        onFailed={(failure) =>
          setError(typeof failure === 'string' ? failure : describeFailure(failure, { say, language }))
        }
      />
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

type CodeProps = Props & {
  challenge: SentChallenge;
  onSent(challenge: SentChallenge): void;
  /** The code is right, but of another account than the one that is known. */
  onOther(other: Other): void;
  onOtherEmail(): void;
};

function CodeForm({
  say,
  language,
  api,
  mailUrl,
  challenge,
  onSent,
  onOther,
  onOtherEmail,
  onSignedIn,
}: CodeProps) {
  const { id, email } = challenge;
  const [error, setError] = useState<string>();
  const [hint, setHint] = useState<string>(say.codeHint);
  const [isBusy, setBusy] = useState(false);

  async function verify(code: string): Promise<boolean> {
    setBusy(true);
    const entry = { challengeId: id, email, code, locale: language };
    try {
      const verified = await api.verifyCode(entry, false);
      if ('refused' in verified) onOther({ email, change: () => changeAccount(api, entry) });
      else await onSignedIn(verified);
      return true;
    } catch (failure) {
      setError(describeCodeFailure(failure, { say, language }));
      setBusy(false);
      return false;
    }
  }

  async function resend() {
    try {
      const sent = await api.sendCode(email, language);
      setHint(say.resent);
      setError(undefined);
      onSent({ email, id: sent.challenge_id, resendInSeconds: sent.resend_in });
    } catch (failure) {
      setError(describeFailure(failure, { say, language }));
    }
  }

  return (
    <section className="animate-appear flex flex-1 flex-col">
      <StepTitle focus={false}>{say.codeTitle}</StepTitle>
      <p className="mt-1.5 mb-6 text-muted">
        {withPart(
          (shown) => say.codeText({ email: shown }),
          <strong className="font-medium wrap-anywhere text-text">{email}</strong>,
        )}
      </p>
      <CodeEntry
        words={say}
        hint={hint}
        error={error}
        challenge={challenge}
        isBusy={isBusy}
        onType={() => setError(undefined)}
        onCode={verify}
        onResend={resend}
        onOtherEmail={onOtherEmail}
      />
      <MailHint say={say} mailUrl={mailUrl} />
    </section>
  );
}

async function changeAccount(api: Api, entry: EnteredCode): Promise<SignedIn> {
  const verified = await api.verifyCode(entry, true);
  if ('refused' in verified) throw new RequestFailed(verified.refused, 'The account was not changed');
  return verified;
}
