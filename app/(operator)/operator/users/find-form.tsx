'use client';

import { useRouter } from 'next/navigation';
import { type FormEvent, useState } from 'react';
import { Button } from '@/app/_ui/button';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { findUser } from './actions';

/** What is typed is sent, never put into the page's own address. */
export function FindForm() {
  const router = useRouter();
  const [name, setName] = useState('');
  const { run, isRunning, failure, clearFailure } = useAction(findUser);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const found = await run({ name });
    if (found.ok && found.value) router.push(found.value.page);
  };
  return (
    <form onSubmit={submit} noValidate className="max-w-xl">
      <TextField
        label="E-mail or id"
        inputMode="email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={name}
        hint="The exact address, a user id of an app (au_…), a purchase (txn_…), a checkout session (cks_…) or a charged request (req_…)"
        error={failure?.message}
        onChange={(event) => {
          setName(event.target.value);
          clearFailure();
        }}
      />
      <Button type="submit" busy={isRunning} disabled={name.trim() === ''} className="mt-2">
        Find user
      </Button>
    </form>
  );
}
