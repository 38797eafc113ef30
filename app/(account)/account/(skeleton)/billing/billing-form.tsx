'use client';

import type { FormEvent } from 'react';
import { AddressField } from '@/app/_ui/address-field';
import { Button } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { SelectField } from '@/app/_ui/select-field';
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
    <form onSubmit={submit} noValidate className="grid max-w-[520px] gap-3">
      {failure && failure.field === undefined && <Notice kind="danger">{failure.message}</Notice>}
      <TextField
        label="Company or person"
        name="name"
        autoComplete="organization"
        maxLength={100}
        defaultValue={details?.name}
        hint="As it should appear on invoices"
        error={errorOf('name')}
      />
      <AddressField lines={details?.address} error={errorOf('address')} />
      <SelectField
        label="Country"
        name="country"
        autoComplete="country"
        defaultValue={details?.country ?? ''}
        options={[{ value: '', label: 'Choose…' }, ...countries]}
        hint="Appears below the address"
        error={errorOf('country')}
        large
      />
      <TextField
        label="Tax ID (optional)"
        name="taxId"
        autoComplete="off"
        maxLength={40}
        defaultValue={details?.taxId}
        hint="For example a VAT ID"
        error={errorOf('taxId')}
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
