'use client';

import { type FormEvent, useState } from 'react';
import { Button } from '@/app/_ui/button';
import { Dialog } from '@/app/_ui/dialog';
import { Notice } from '@/app/_ui/notice';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { deleteMyAccount } from './actions';

/** Shows what will be lost and asks for the address before deleting anything. */
export function DeleteAccount({ email, lost }: { email: string; lost: string | null }) {
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const { run, isRunning, failure, clearFailure } = useAction(deleteMyAccount);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if ((await run({ email: typed })).ok) window.location.assign('/');
  };
  return (
    <>
      <Credits lost={lost} />
      <Dialog
        title="Delete your account?"
        description="This cannot be undone. Signing in with this e-mail address later creates a new, empty account. Download the invoices you need first."
        trigger={<Button look="danger">Delete my account</Button>}
        open={isOpen}
        onOpenChange={(open) => {
          if (isRunning) return;
          setOpen(open);
          setTyped('');
          clearFailure();
        }}
      >
        <form onSubmit={submit} noValidate>
          <Credits lost={lost} />
          <TextField
            label={`Type ${email} to confirm`}
            name="email"
            type="email"
            autoComplete="off"
            value={typed}
            error={failure?.message}
            onChange={(event) => {
              setTyped(event.target.value);
              clearFailure();
            }}
          />
          <Button
            type="submit"
            look="danger"
            busy={isRunning}
            disabled={typed.trim().toLowerCase() !== email}
            className="mt-5 w-full"
          >
            Permanently delete my account
          </Button>
        </form>
      </Dialog>
    </>
  );
}

function Credits({ lost }: { lost: string | null }) {
  if (lost === null) return <p className="mb-5 text-sm text-muted">You have no credits to lose.</p>;
  return (
    <div className="mb-5">
      <Notice kind="warning">
        <strong>You will lose {lost}.</strong> Credits cannot be paid out, so spend them first if you can.
      </Notice>
    </div>
  );
}
