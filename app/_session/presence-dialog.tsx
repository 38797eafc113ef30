'use client';

import { type ReactNode, useRef, useState } from 'react';
import { Button } from '../_ui/button';
import { type Challenge, CodeEntry } from '../_ui/code-entry';
import { Dialog } from '../_ui/dialog';
import { Notice } from '../_ui/notice';
import { Spinner } from '../_ui/spinner';
import { AskForPresence, useAction } from '../_ui/use-action';
import { confirmPresence, sendConfirmation } from './confirm';

const CODE_LIFETIME_MS = 10 * 60 * 1000;
const WORDS = {
  code: 'Code',
  signIn: 'Confirm',
  resend: 'Send a new code',
  resendIn: (seconds: number) => `Send a new code in ${seconds} s`,
};

const SENT = 'The code is valid for 10 minutes, and so is your confirmation.';
const RESENT = 'We sent a new code. The old one no longer works.';

/** Lets the actions of its pages ask the user to confirm with an e-mailed code. */
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
        description="We send a six-digit code to your e-mail address. Nothing you entered is lost."
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

type SentCode = Challenge & { sentAt: number };

/** The code that was sent last. It is kept while the dialog is closed, as another is sent only later. */
function useConfirmationCode() {
  const [sent, setSent] = useState<SentCode | null>(null);
  const { run, isRunning, failure, clearFailure } = useAction(sendConfirmation);
  return {
    sent,
    isSending: isRunning,
    failure,
    clearFailure,
    isUsable: () => sent !== null && Date.now() - sent.sentAt < CODE_LIFETIME_MS,
    forget: () => setSent(null),
    send: async () => {
      const result = await run(undefined);
      if (!result.ok || !result.value) return;
      const { challengeId, resendInSeconds } = result.value;
      setSent({ id: challengeId, resendInSeconds, sentAt: Date.now() });
    },
  };
}

type Props = { code: ReturnType<typeof useConfirmationCode>; onConfirmed(): void };

function Confirmation({ code: { sent, failure, ...code }, onConfirmed }: Props) {
  const entry = useAction(confirmPresence);
  const [wasResent, setResent] = useState(false);
  if (sent === null && failure !== null)
    return (
      <>
        <Notice kind="danger">{failure.message}</Notice>
        <Button className="mt-4 w-full" busy={code.isSending} onClick={() => void code.send()}>
          Send code
        </Button>
      </>
    );
  if (sent === null)
    return (
      <p className="flex items-center gap-3 text-sm text-muted">
        <Spinner /> Sending a code…
      </p>
    );
  return (
    <CodeEntry
      words={WORDS}
      hint={wasResent ? RESENT : SENT}
      error={entry.failure?.message ?? failure?.message}
      challenge={sent}
      isBusy={entry.isRunning}
      onType={() => {
        entry.clearFailure();
        code.clearFailure();
      }}
      onCode={async (digits) => {
        const { ok } = await entry.run({ challengeId: sent.id, code: digits });
        if (!ok) return false;
        code.forget();
        onConfirmed();
        return true;
      }}
      onResend={async () => {
        entry.clearFailure();
        await code.send();
        setResent(true);
      }}
    />
  );
}
