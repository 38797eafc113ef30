'use client';

import { useRouter } from 'next/navigation';
import { type FormEvent, useState } from 'react';
import { Button } from '@/app/_ui/button';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { findUser } from './actions';

/** The address is sent, never put into the page's own address. */
export function FindForm() {
  const router = useRouter();
  const [email, setEmail] = useState('');
  const { run, isRunning, failure, clearFailure } = useAction(findUser);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const found = await run({ email });
    if (found.ok && found.value) router.push(`/operator/users/${found.value.ref}`);
  };
  return (
    <form onSubmit={submit} noValidate className="max-w-md">
      <TextField
        label="E-mail"
        type="email"
        autoComplete="off"
        value={email}
        error={failure?.message}
        onChange={(event) => {
          setEmail(event.target.value);
          clearFailure();
        }}
      />
      <Button type="submit" busy={isRunning} disabled={email.trim() === ''} className="mt-2">
        Find user
      </Button>
    </form>
  );
}
