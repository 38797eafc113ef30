import { AddressField } from './address-field';
import { SelectField } from './select-field';
import { TextField } from './text-field';

type Party = { name: string; address: string; country: string; taxId: string };

type Props = {
  /** As saved; null for a new one. */
  party: Partial<Party> | null;
  countries: { value: string; label: string }[];
  nameHint: string;
  errorOf(field: keyof Party): string | undefined;
};

/** Who a document names, in a form: `name`, `address`, `country` and `taxId`. */
export function PartyFields({ party, countries, nameHint, errorOf }: Props) {
  return (
    <>
      <TextField
        label="Company or person"
        name="name"
        autoComplete="organization"
        maxLength={100}
        defaultValue={party?.name}
        hint={nameHint}
        error={errorOf('name')}
      />
      <AddressField lines={party?.address} error={errorOf('address')} />
      <SelectField
        label="Country"
        name="country"
        autoComplete="country"
        defaultValue={party?.country ?? ''}
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
        defaultValue={party?.taxId}
        hint="For example a VAT ID"
        error={errorOf('taxId')}
      />
    </>
  );
}
