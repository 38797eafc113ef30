'use client';

import { type ReactNode, useRef, useState } from 'react';
import type { PasskeyUse } from '@/server/people/passkeys';
import { Button } from '../_ui/button';
import { type Challenge, CodeEntry } from '../_ui/code-entry';
import { Dialog } from '../_ui/dialog';
import { Notice } from '../_ui/notice';
import { Spinner } from '../_ui/spinner';
import { AskForPresence, type Failure, useAction } from '../_ui/use-action';
import { confirmPresence, sendConfirmation } from './confirm';
import { type PageTexts, speakPage } from './page-words';
import { PasskeyButton } from './passkey-button';
import { describeRefusal } from './shared-words';

const CODE_LIFETIME_MS = 10 * 60 * 1000;
type Words = ReturnType<typeof speakPage<'presence'>>;
type Props = { texts: PageTexts<'presence'>; children: ReactNode };

/** English messages of actions say more than those of a code. */
const describe = (failure: Failure, { language, shared }: Words): string =>
  language === 'en' ? failure.message : describeRefusal(failure, shared);

/** Lets the actions of its pages ask the user to confirm with a passkey or an e-mailed code. */
export function PresenceDialog({ texts, children }: Props) {
  const words = speakPage(texts);
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
        title={words.say.title}
        closeLabel={words.shared.say.close}
        description={words.say.text}
        open={isOpen}
        onOpenChange={(open) => {
          if (!open) close(false);
        }}
      >
        <Confirmation words={words} code={code} onConfirmed={() => close(true)} />
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

type ConfirmationProps = {
  words: Words;
  code: ReturnType<typeof useConfirmationCode>;
  onConfirmed(): void;
};

function Confirmation({ words, code, onConfirmed }: ConfirmationProps) {
  const { say, shared } = words;
  const { sent, failure } = code;
  const entry = useAction(confirmPresence);
  const [wasResent, setResent] = useState(false);
  if (sent === null && failure !== null)
    return (
      <>
        <Notice kind="danger">{describe(failure, words)}</Notice>
        <Button className="mt-4 w-full" busy={code.isSending} onClick={() => void code.send('code')}>
          {shared.say.sendCode}
        </Button>
      </>
    );
  if (sent === null)
    return (
      <p className="flex items-center gap-3 text-sm text-muted">
        <Spinner /> {say.wait}
      </p>
    );
  if (sent.code === null)
    return (
      <WithPasskey
        words={words}
        code={code}
        isRequired={sent.passkey === 'required'}
        onConfirmed={onConfirmed}
      />
    );
  const challenge = sent.code;
  const refused = entry.failure ?? failure;
  return (
    <CodeEntry
      words={{ ...shared.say, signIn: say.confirm }}
      hint={wasResent ? shared.say.resent : say.sent}
      error={refused ? describe(refused, words) : undefined}
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
  words: Words;
  code: ReturnType<typeof useConfirmationCode>;
  isRequired: boolean;
  onConfirmed(): void;
};

function WithPasskey({ words, code, isRequired, onConfirmed }: WithPasskeyProps) {
  const { say } = words;
  return (
    <>
      {code.failure && (
        <div className="mb-4">
          <Notice kind="danger">{describe(code.failure, words)}</Notice>
        </div>
      )}
      <PasskeyButton look="primary" label={say.passkey} onDone={onConfirmed} />
      {isRequired ? (
        <p className="text-sm text-muted">{say.passkeyRequired}</p>
      ) : (
        <Button look="quiet" busy={code.isSending} className="w-full" onClick={() => void code.send('code')}>
          {say.codeInstead}
        </Button>
      )}
    </>
  );
}
