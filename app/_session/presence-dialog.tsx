'use client';

import { type ReactNode, useRef, useState } from 'react';
import type { PasskeyUse } from '@/server/people/passkeys';
import { Button } from '../_ui/button';
import { type Challenge, CodeEntry } from '../_ui/code-entry';
import { Dialog } from '../_ui/dialog';
import { Notice } from '../_ui/notice';
import { Spinner } from '../_ui/spinner';
import { AskForPresence, useAction } from '../_ui/use-action';
import { confirmPresence, sendConfirmation } from './confirm';
import { PasskeyButton } from './passkey-button';

const CODE_LIFETIME_MS = 10 * 60 * 1000;
const WORDS = {
  code: 'Code',
  codeIncomplete: 'Enter all six digits.',
  signIn: 'Confirm',
  resend: 'Send a new code',
  resendIn: (seconds: number) => `Send a new code in ${seconds} s`,
};

const SENT =
  'We sent a code to your e-mail address. It is valid for 10 minutes, and so is your confirmation.';
const RESENT = 'We sent a new code. The old one no longer works.';

/** Lets the actions of its pages ask the user to confirm with a passkey or an e-mailed code. */
export function PresenceDialog({ children }: { children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const answers = useRef<((isConfirmed: boolean) => void)[]>([]);
  const code = useConfirmationCode();

  function ask(): Promise<boolean> {
    setOpen(true);
    if (!code.isUsable()) void code.send();
    return new Promise((answer) => answers.current.push(answer));
  }

  function close(isConfirmed: boolean): void {
    setOpen(false);
    for (const answer of answers.current.splice(0)) answer(isConfirmed);
  }

  return (
    <AskForPresence value={ask}>
      {children}
      <Dialog
        title="Confirm that it’s you"
        description="Some changes need a recent confirmation. Nothing you entered is lost."
        open={isOpen}
        onOpenChange={(open) => {
          if (!open) close(false);
        }}
      >
        <Confirmation code={code} onConfirmed={() => close(true)} />
      </Dialog>
    </AskForPresence>
  );
}

type Sent = { passkey: PasskeyUse; code: Challenge | null; sentAt: number };

/**
 * What the user can confirm with, and the code that was sent last. A code is kept while the dialog is closed,
 * as another is sent only later.
 */
function useConfirmationCode() {
  const [sent, setSent] = useState<Sent | null>(null);
  const { run, isRunning, failure, clearFailure } = useAction(sendConfirmation);
  return {
    sent,
    isSending: isRunning,
    failure,
    clearFailure,
    isUsable: () => sent !== null && sent.code !== null && Date.now() - sent.sentAt < CODE_LIFETIME_MS,
    forget: () => setSent(null),
    send: async (wish?: 'code') => {
      const result = await run(wish);
      if (!result.ok || !result.value) return;
      const { passkey, challenge = null } = result.value;
      setSent({ passkey, code: challenge, sentAt: Date.now() });
    },
  };
}

type Props = { code: ReturnType<typeof useConfirmationCode>; onConfirmed(): void };

function Confirmation({ code, onConfirmed }: Props) {
  const { sent, failure } = code;
  const entry = useAction(confirmPresence);
  const [wasResent, setResent] = useState(false);
  if (sent === null && failure !== null)
    return (
      <>
        <Notice kind="danger">{failure.message}</Notice>
        <Button className="mt-4 w-full" busy={code.isSending} onClick={() => void code.send('code')}>
          Send code
        </Button>
      </>
    );
  if (sent === null)
    return (
      <p className="flex items-center gap-3 text-sm text-muted">
        <Spinner /> One moment…
      </p>
    );
  if (sent.code === null)
    return <WithPasskey code={code} isRequired={sent.passkey === 'required'} onConfirmed={onConfirmed} />;
  const challenge = sent.code;
  return (
    <CodeEntry
      words={WORDS}
      hint={wasResent ? RESENT : SENT}
      error={entry.failure?.message ?? failure?.message}
      challenge={challenge}
      isBusy={entry.isRunning}
      onType={() => {
        entry.clearFailure();
        code.clearFailure();
      }}
      onCode={async (digits) => {
        const { ok } = await entry.run({ challengeId: challenge.id, code: digits });
        if (!ok) return false;
        code.forget();
        onConfirmed();
        return true;
      }}
      onResend={async () => {
        entry.clearFailure();
        await code.send('code');
        setResent(true);
      }}
    />
  );
}

type WithPasskeyProps = {
  code: ReturnType<typeof useConfirmationCode>;
  isRequired: boolean;
  onConfirmed(): void;
};

function WithPasskey({ code, isRequired, onConfirmed }: WithPasskeyProps) {
  return (
    <>
      {code.failure && (
        <div className="mb-4">
          <Notice kind="danger">{code.failure.message}</Notice>
        </div>
      )}
      <PasskeyButton look="primary" label="Use a passkey" onDone={onConfirmed} />
      {isRequired ? (
        <p className="text-sm text-muted">
          You are an operator or own an app, so a code is not enough. If you have lost the device, an operator
          can remove your passkeys.
        </p>
      ) : (
        <Button look="quiet" busy={code.isSending} className="w-full" onClick={() => void code.send('code')}>
          Send a code instead
        </Button>
      )}
    </>
  );
}
