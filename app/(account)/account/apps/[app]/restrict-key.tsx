'use client';

import { type FormEvent, useState } from 'react';
import { Button } from '@/app/_ui/button';
import { Dialog } from '@/app/_ui/dialog';
import { Notice } from '@/app/_ui/notice';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { restrictAppKey } from './actions';

type Restrictions = { origins: string[]; networks: string[] };
type Props = Restrictions & { keyId: string; last4: string; appName: string };

/** Asks where a key may be used. */
export function RestrictKey({ keyId, last4, appName, origins, networks }: Props) {
  const [isOpen, setOpen] = useState(false);
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
      onOpenChange={setOpen}
    >
      <RestrictionForm keyId={keyId} origins={origins} networks={networks} onSaved={() => setOpen(false)} />
    </Dialog>
  );
}

/** Mounted while the dialog is open, so that it always begins with what is saved. */
function RestrictionForm({
  keyId,
  onSaved,
  ...saved
}: Restrictions & { keyId: string; onSaved: () => void }) {
  const [origins, setOrigins] = useState(saved.origins.join(' '));
  const [networks, setNetworks] = useState(saved.networks.join(' '));
  const { run, isRunning, failure } = useAction(restrictAppKey);
  const errorOf = (field: string) => (failure?.field === field ? failure.message : undefined);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if ((await run({ keyId, origins, networks })).ok) onSaved();
  };

  return (
    <form onSubmit={submit} noValidate className="fields">
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
  );
}
