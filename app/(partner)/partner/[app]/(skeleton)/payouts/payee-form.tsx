'use client';

import type { FormEvent } from 'react';
import { Button } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { PartyFields } from '@/app/_ui/party-fields';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { savePayee } from './actions';

type Field = 'name' | 'address' | 'country' | 'taxId' | 'destination';
export type ShownPayee = {
  name: string;
  address: string;
  country: string;
  taxId: string;
  destinationEnding: string | null;
};
export type CountryOption = { value: string; label: string };
type Props = {
  partnerId: string;
  payee: ShownPayee | null;
  countries: CountryOption[];
  /** Payouts by hand need a bank account; Stripe asks for its own. */
  asksForDestination: boolean;
};

export function PayeeForm({ partnerId, payee, countries, asksForDestination }: Props) {
  const { run, isRunning, failure } = useAction(savePayee);
  const errorOf = (field: Field) => (failure?.field === field ? failure.message : undefined);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const entered = new FormData(form);
    const read = (field: Field) => String(entered.get(field) ?? '');
    const input = { name: read('name'), address: read('address'), country: read('country') };
    const saved = await run({ partnerId, ...input, taxId: read('taxId'), destination: read('destination') });
    const destination = form.elements.namedItem('destination');
    // It is not shown again.
    if (saved.ok && destination instanceof HTMLInputElement) destination.value = '';
  }

  return (
    <form onSubmit={submit} noValidate className="fields max-w-[520px]">
      {failure && failure.field === undefined && <Notice kind="danger">{failure.message}</Notice>}
      <PartyFields
        party={payee}
        countries={countries}
        nameHint="The legal name, as it should appear on statements"
        errorOf={errorOf}
      />
      {asksForDestination && (
        <TextField
          label="Bank account"
          name="destination"
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          placeholder={payee?.destinationEnding ? `Ending in ${payee.destinationEnding}` : undefined}
          hint={
            payee?.destinationEnding
              ? 'Leave empty to keep it. We check the first payout to a new account'
              : 'An IBAN, or the account number with the bank’s routing number or BIC'
          }
          error={errorOf('destination')}
        />
      )}
      <div>
        <Button type="submit" busy={isRunning}>
          Save payee details
        </Button>
      </div>
    </form>
  );
}
