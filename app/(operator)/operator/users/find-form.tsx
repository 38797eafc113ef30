'use client';

import { useRouter } from 'next/navigation';
import { type FormEvent, useState } from 'react';
import { Button } from '@/app/_ui/button';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { findUser } from './actions';

/** The input is posted and never becomes part of the page's URL. */
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
    <form onSubmit={submit} noValidate className="fields max-w-xl">
      <TextField
        label="E-mail or ID"
        inputMode="email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={name}
        hint="The exact e-mail address, or the ID of an app user (au_…), a purchase (txn_…), a checkout session (cks_…) or a charged request (req_…)"
        error={failure?.message}
        onChange={(event) => {
          setName(event.target.value);
          clearFailure();
        }}
      />
      <Button type="submit" busy={isRunning}>
        Find user
      </Button>
    </form>
  );
}
