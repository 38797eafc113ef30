'use client';

import { type FormEvent, useState } from 'react';
import { Button } from '@/app/_ui/button';
import { Dialog } from '@/app/_ui/dialog';
import { Notice } from '@/app/_ui/notice';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { restrictAppKey } from './actions';

type Props = { keyId: string; last4: string; appName: string; origins: string[]; networks: string[] };

/** Asks where a key may be used. Empty fields allow any place. */
export function RestrictKey({ keyId, last4, appName, ...current }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [origins, setOrigins] = useState('');
  const [networks, setNetworks] = useState('');
  const { run, isRunning, failure, clearFailure } = useAction(restrictAppKey);
  const errorOf = (field: string) => (failure?.field === field ? failure.message : undefined);

  const open = () => {
    setOrigins(current.origins.join(' '));
    setNetworks(current.networks.join(' '));
    clearFailure();
    setOpen(true);
  };

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if ((await run({ keyId, origins, networks })).ok) setOpen(false);
  };

  return (
    <Dialog
      title={`Restrict the key ending in ${last4}`}
      description={`${appName} can then use it only from the places below. Leave a field empty to allow any.`}
      trigger={
        <Button look="secondary" size="small" aria-label={`Restrict: key ending in ${last4}`}>
          Restrict
        </Button>
      }
      open={isOpen}
      onOpenChange={(opens) => (opens ? open() : setOpen(false))}
    >
      <form onSubmit={submit} noValidate className="space-y-3">
        {failure && failure.field === undefined && <Notice kind="danger">{failure.message}</Notice>}
        <TextField
          label="Networks"
          placeholder="203.0.113.7 2001:db8::/32"
          hint="IP addresses or networks, separated by spaces"
          value={networks}
          error={errorOf('networks')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => setNetworks(event.target.value)}
        />
        <TextField
          label="Websites"
          placeholder="https://app.example.com"
          hint="Only for apps that send requests from your browser"
          value={origins}
          error={errorOf('origins')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => setOrigins(event.target.value)}
        />
        <Button type="submit" busy={isRunning} className="w-full">
          Save restrictions
        </Button>
      </form>
    </Dialog>
  );
}
