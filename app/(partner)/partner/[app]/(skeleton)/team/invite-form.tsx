'use client';

import { type FormEvent, useState } from 'react';
import { Button } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { SelectField } from '@/app/_ui/select-field';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { invitePerson } from './actions';
import { GIVEN_ROLES, type GivenRole } from './roles';

export function InviteForm({ partnerId }: { partnerId: string }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<GivenRole>('viewer');
  const { run, isRunning, failure, clearFailure } = useAction(invitePerson);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if ((await run({ partnerId, email, role })).ok) setEmail('');
  };
  return (
    <form onSubmit={submit} noValidate onChange={clearFailure} className="fields sm:grid-cols-[1fr_12rem]">
      <TextField
        label="E-mail address"
        type="email"
        value={email}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        error={failure?.field === 'email' ? failure.message : undefined}
        onChange={(event) => setEmail(event.target.value)}
      />
      <SelectField
        label="Role"
        value={role}
        large
        options={GIVEN_ROLES}
        onChange={(event) => setRole(event.target.value as GivenRole)}
      />
      {failure && failure.field !== 'email' && (
        <div className="sm:col-span-2">
          <Notice kind="danger">{failure.message}</Notice>
        </div>
      )}
      <Button type="submit" busy={isRunning}>
        Send invitation
      </Button>
    </form>
  );
}
