'use client';

import { browserSupportsWebAuthn, startRegistration } from '@simplewebauthn/browser';
import { type FormEvent, useState } from 'react';
import type { ActionResult } from '@/app/_ui/action-result';
import { Button } from '@/app/_ui/button';
import { describePasskeyFailure, UNSUPPORTED } from '@/app/_ui/describe-passkey-failure';
import { Dialog } from '@/app/_ui/dialog';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { addMyPasskey, beginNewPasskey } from './passkey-actions';

export function AddPasskey({ suggestedName }: { suggestedName: string }) {
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState(suggestedName);
  const { run, isRunning, failure, clearFailure } = useAction(createPasskey);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!isRunning && (await run(name)).ok) setOpen(false);
  };
  return (
    <Dialog
      title="Add a passkey"
      description="Your browser asks where to keep it: on this device, on your phone or on a security key."
      trigger={
        <Button look="secondary" size="small">
          Add a passkey
        </Button>
      }
      open={isOpen}
      onOpenChange={(open) => {
        setOpen(open);
        setName(suggestedName);
        clearFailure();
      }}
    >
      <form onSubmit={submit} noValidate>
        <TextField
          label="Name"
          name="name"
          autoComplete="off"
          maxLength={60}
          hint="To recognise it in this list."
          value={name}
          error={failure?.message}
          onChange={(event) => {
            setName(event.target.value);
            clearFailure();
          }}
        />
        <Button type="submit" busy={isRunning} className="mt-5 w-full">
          Create passkey
        </Button>
      </form>
    </Dialog>
  );
}

async function createPasskey(name: string): Promise<ActionResult> {
  if (!browserSupportsWebAuthn()) return UNSUPPORTED;
  const begun = await beginNewPasskey(undefined);
  if (!begun.ok) return begun;
  if (!begun.value) return UNSUPPORTED;
  try {
    return await addMyPasskey({ name, response: await startRegistration({ optionsJSON: begun.value }) });
  } catch (failure) {
    return describePasskeyFailure(failure);
  }
}
