'use client';

import { type FormEvent, useState } from 'react';
import { Button } from '@/app/_ui/button';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { checkName } from '@/server/partners/name';
import { renameTeam } from './actions';

export function TeamNameForm({ partnerId, name }: { partnerId: string; name: string }) {
  const [text, setText] = useState(name);
  const { run, isRunning, failure, clearFailure } = useAction(renameTeam);
  const checked = checkName(text);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (checked.ok) await run({ partnerId, name: text });
  };
  return (
    <form onSubmit={submit} noValidate onChange={clearFailure} className="fields max-w-md">
      <TextField
        label="Name of the team"
        value={text}
        error={failure?.message ?? (checked.ok ? undefined : checked.reason)}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit" busy={isRunning}>
        Save name
      </Button>
    </form>
  );
}
