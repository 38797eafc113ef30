'use client';

import { type FormEvent, useState } from 'react';
import { Button } from '@/app/_ui/button';
import { Dialog } from '@/app/_ui/dialog';
import { Notice } from '@/app/_ui/notice';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import type { SentCodes } from '@/server/people/change-email';
import { finishEmailChange, startEmailChange } from './email-actions';

/** Asks for the new address, then for a code from each of the two mailboxes. */
export function ChangeEmail({ email }: { email: string }) {
  const [isOpen, setOpen] = useState(false);
  const [sent, setSent] = useState<SentCodes | null>(null);
  const [typed, setTyped] = useState('');
  return (
    <Dialog
      title="Change e-mail address"
      description={
        sent === null
          ? 'We send a code to each of the two addresses. Your other devices are signed out; apps stay signed in.'
          : 'Enter both codes. They are valid for 10 minutes.'
      }
      trigger={
        <Button look="secondary" size="small">
          Change address
        </Button>
      }
      open={isOpen}
      onOpenChange={(open) => {
        setOpen(open);
        setSent(null);
      }}
    >
      {sent === null ? (
        <AddressForm typed={typed} onType={setTyped} onSent={setSent} />
      ) : (
        <CodesForm old={email} sent={sent} onDone={() => setOpen(false)} onBack={() => setSent(null)} />
      )}
    </Dialog>
  );
}

type AddressProps = { typed: string; onType(text: string): void; onSent(sent: SentCodes): void };

function AddressForm({ typed, onType, onSent }: AddressProps) {
  const { run, isRunning, failure, clearFailure } = useAction(startEmailChange);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const result = await run({ email: typed });
    if (result.ok && result.value) onSent(result.value);
  };
  return (
    <form onSubmit={submit} noValidate>
      <TextField
        label="New e-mail address"
        name="email"
        type="email"
        autoComplete="email"
        autoFocus
        value={typed}
        error={failure?.message}
        onChange={(event) => {
          onType(event.target.value);
          clearFailure();
        }}
      />
      <Button type="submit" busy={isRunning} className="mt-3 w-full">
        Send codes
      </Button>
    </form>
  );
}

type CodesProps = { old: string; sent: SentCodes; onDone(): void; onBack(): void };

function CodesForm({ old, sent, onDone, onBack }: CodesProps) {
  const [codes, setCodes] = useState({ oldCode: '', newCode: '' });
  const { run, isRunning, failure, clearFailure } = useAction(finishEmailChange);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if ((await run({ ...sent, ...codes })).ok) onDone();
  };
  const field = (name: keyof typeof codes, address: string) => (
    <TextField
      label={`Code sent to ${address}`}
      name={name}
      inputMode="numeric"
      autoComplete="one-time-code"
      autoFocus={name === 'oldCode'}
      className="font-mono tracking-[0.35em]"
      value={codes[name]}
      error={failure?.field === name ? failure.message : undefined}
      onChange={(event) => {
        setCodes({ ...codes, [name]: event.target.value });
        clearFailure();
      }}
    />
  );
  return (
    <form onSubmit={submit} noValidate>
      {failure && failure.field !== 'oldCode' && failure.field !== 'newCode' && (
        <div className="mb-4">
          <Notice kind="danger">{failure.message}</Notice>
        </div>
      )}
      <div className="grid gap-3">
        {field('oldCode', old)}
        {field('newCode', sent.email)}
      </div>
      <Button type="submit" busy={isRunning} className="mt-3 w-full">
        Change e-mail address
      </Button>
      <Button look="quiet" className="mt-2 w-full" onClick={onBack}>
        Send new codes
      </Button>
    </form>
  );
}
