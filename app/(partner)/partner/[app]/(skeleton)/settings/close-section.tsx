'use client';

import { type FormEvent, useState } from 'react';
import { Button } from '@/app/_ui/button';
import { ConfirmButton } from '@/app/_ui/confirm-button';
import { Dialog } from '@/app/_ui/dialog';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { deleteOwnApp, pauseOwnApp, resumeOwnApp } from './actions';

/** Stops the app for a while, or starts it again. */
export function PauseButton({ partnerId, isPaused }: { partnerId: string; isPaused: boolean }) {
  const resuming = useAction(resumeOwnApp);
  if (isPaused)
    return (
      <Button busy={resuming.isRunning} onClick={() => resuming.run({ partnerId })}>
        Resume app
      </Button>
    );
  return (
    <ConfirmButton
      label="Pause app"
      title="Pause this app?"
      consequence="Requests, sign-ins and purchases in it are refused with partner_disabled, and webhooks wait. Users keep their credits and can use them in other apps. You can resume it at any time."
      action={pauseOwnApp.bind(null, { partnerId })}
      size="medium"
    />
  );
}

/** Asks for the app's name before it deletes anything. */
export function DeleteButton({ partnerId, name }: { partnerId: string; name: string }) {
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const { run, isRunning, failure, clearFailure } = useAction(deleteOwnApp);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if ((await run({ partnerId, name: typed })).ok) setOpen(false);
  };
  return (
    <Dialog
      title="Delete this app?"
      description="This cannot be undone. All keys of its users end, and purchases are refused. Users keep their credits and see in their account that the app is disabled. What it earned stays payable, and its pages stay readable for your team."
      trigger={<Button look="danger">Delete app</Button>}
      open={isOpen}
      onOpenChange={(open) => {
        if (isRunning) return;
        setOpen(open);
        setTyped('');
        clearFailure();
      }}
    >
      <form onSubmit={submit} noValidate>
        <TextField
          label={`Type ${name} to confirm`}
          autoComplete="off"
          value={typed}
          error={failure?.message}
          onChange={(event) => {
            setTyped(event.target.value);
            clearFailure();
          }}
        />
        <Button type="submit" look="danger" busy={isRunning} className="mt-3 w-full">
          Permanently delete this app
        </Button>
      </form>
    </Dialog>
  );
}
