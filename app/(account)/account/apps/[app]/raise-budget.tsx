'use client';

import { type FormEvent, useState } from 'react';
import { formatCredits } from '@/app/_ui/amount';
import { ArmedButton } from '@/app/_ui/armed-button';
import { Button } from '@/app/_ui/button';
import { Dialog } from '@/app/_ui/dialog';
import { Notice } from '@/app/_ui/notice';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { raiseKeyBudget } from './actions';

type Props = { keyId: string; name: string; credits: number; spent: number };

const show = (credits: number) => formatCredits(credits, 'en', 6);

/** Asks how much a run key may spend in all. */
export function RaiseBudget({ name, ...budget }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Dialog
      title={`Raise the budget of ${name}`}
      description="The budget reserves nothing: the key still spends only what the app and the keys above it can spend."
      trigger={
        <Button look="secondary" size="small" aria-label={`Raise budget: ${name}`}>
          Raise budget
        </Button>
      }
      open={isOpen}
      onOpenChange={setOpen}
    >
      <BudgetForm {...budget} onSaved={() => setOpen(false)} />
    </Dialog>
  );
}

/** Mounted while the dialog is open, so that it always begins with what is saved. */
function BudgetForm({ keyId, credits, spent, onSaved }: Omit<Props, 'name'> & { onSaved: () => void }) {
  const [typed, setTyped] = useState(show(credits).replaceAll(',', ''));
  const { run, isRunning, failure, clearFailure } = useAction(raiseKeyBudget);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if ((await run({ keyId, credits: typed })).ok) onSaved();
  };

  return (
    <form onSubmit={submit} noValidate className="fields">
      {failure && failure.field === undefined && <Notice kind="danger">{failure.message}</Notice>}
      <TextField
        label="Credits it can spend in all"
        name="credits"
        inputMode="decimal"
        autoComplete="off"
        value={typed}
        hint={`Includes the ${show(spent)} spent. 100 credits are worth $1.`}
        error={failure?.field === 'credits' ? failure.message : undefined}
        onChange={(event) => {
          setTyped(event.target.value);
          clearFailure();
        }}
      />
      <ArmedButton type="submit" busy={isRunning} className="w-full">
        Save budget
      </ArmedButton>
    </form>
  );
}
