'use client';

import { type FormEvent, useState } from 'react';
import { Button } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { saveLowBalance } from './top-up-actions';

const SUGGESTION = 200;
const MOST = 1_000_000;

/** `saved` is the number of credits; null while no e-mail is wanted. */
export function LowBalanceForm({ email, saved }: { email: string; saved: number | null }) {
  const [typed, setTyped] = useState(String(saved ?? SUGGESTION));
  const [isChecked, setChecked] = useState(false);
  const save = useAction(saveLowBalance);
  const credits = /^\d{1,7}$/.test(typed.trim()) ? Number(typed) : 0;
  const isValid = credits >= 1 && credits <= MOST;

  function submit(event: FormEvent) {
    event.preventDefault();
    setChecked(true);
    if (isValid) void save.run({ credits });
  }

  return (
    <form onSubmit={submit} noValidate className="max-w-md">
      <TextField
        label="Write to me when I have fewer than"
        name="low-balance"
        inputMode="numeric"
        autoComplete="off"
        value={typed}
        hint={`Credits across all apps. The e-mail goes to ${email}.`}
        error={isChecked && !isValid ? 'Enter a whole number of credits from 1 to 1,000,000.' : undefined}
        onChange={(event) => {
          setTyped(event.target.value);
          setChecked(false);
          save.clearFailure();
        }}
      />
      {save.failure && (
        <div className="mt-4">
          <Notice kind="danger">{save.failure.message}</Notice>
        </div>
      )}
      <div className="mt-5 flex flex-wrap gap-2">
        <Button type="submit" look="secondary" busy={save.isRunning}>
          {saved === null ? 'Turn on' : 'Save'}
        </Button>
        {saved !== null && (
          <Button look="quiet" busy={save.isRunning} onClick={() => void save.run({ credits: null })}>
            Turn off
          </Button>
        )}
      </div>
    </form>
  );
}
