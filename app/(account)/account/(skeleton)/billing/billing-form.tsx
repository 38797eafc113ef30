'use client';

import type { FormEvent } from 'react';
import { Button } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { PartyFields } from '@/app/_ui/party-fields';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { removeDetails, saveDetails } from './actions';

export type Details = { name: string; address: string; country: string; taxId: string; reference: string };
type Props = { details: Details | null; countries: { value: string; label: string }[] };

export function BillingForm({ details, countries }: Props) {
  const { run, isRunning, failure } = useAction(saveDetails);
  const removal = useAction(removeDetails);
  const errorOf = (field: keyof Details) => (failure?.field === field ? failure.message : undefined);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const read = (field: keyof Details) => String(form.get(field) ?? '');
    await run({
      name: read('name'),
      address: read('address'),
      country: read('country'),
      taxId: read('taxId'),
      reference: read('reference'),
    });
  }

  return (
    <form onSubmit={submit} noValidate className="fields max-w-[520px]">
      {failure && failure.field === undefined && <Notice kind="danger">{failure.message}</Notice>}
      <PartyFields
        party={details}
        countries={countries}
        nameHint="As it should appear on invoices"
        errorOf={errorOf}
      />
      <TextField
        label="Your reference (optional)"
        name="reference"
        autoComplete="off"
        maxLength={100}
        defaultValue={details?.reference}
        hint="For example a purchase order number"
        error={errorOf('reference')}
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" busy={isRunning}>
          Save details
        </Button>
        {details !== null && (
          <Button look="secondary" busy={removal.isRunning} onClick={() => removal.run({})}>
            Remove details
          </Button>
        )}
      </div>
    </form>
  );
}
