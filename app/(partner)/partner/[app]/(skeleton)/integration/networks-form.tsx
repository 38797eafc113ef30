'use client';

import { type FormEvent, useState } from 'react';
import { Button } from '@/app/_ui/button';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { saveKeyNetworks } from './key-actions';

export function NetworksForm({ partnerId, saved }: { partnerId: string; saved: string }) {
  const [text, setText] = useState(saved);
  const { run, isRunning, failure, clearFailure } = useAction(saveKeyNetworks);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await run({ partnerId, networks: text });
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-3 sm:flex-row sm:items-start">
      <div className="min-w-0 flex-1">
        <TextField
          label="Allowed networks"
          placeholder="203.0.113.0/24 2001:db8::/32"
          hint="IP addresses or networks, separated by spaces. Empty: any."
          value={text}
          error={failure?.message}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => {
            setText(event.target.value);
            clearFailure();
          }}
        />
      </div>
      <Button type="submit" busy={isRunning} className="sm:mt-[26px] sm:h-12">
        Save networks
      </Button>
    </form>
  );
}
