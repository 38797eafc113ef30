import { useId } from 'react';
import { borderOf, Field, noted } from './field';
import { useFocusOnError } from './use-focus-on-error';

const HINT = 'One to six lines, without the country';

/** The lines of a postal address, without the country. */
export function AddressField({ lines, error }: { lines: string | undefined; error: string | undefined }) {
  const id = useId();
  const field = useFocusOnError<HTMLTextAreaElement>(error);
  return (
    <Field id={id} label="Address" hint={HINT} error={error}>
      <textarea
        {...noted(id, { hint: HINT, error })}
        ref={field}
        name="address"
        rows={3}
        autoComplete="street-address"
        defaultValue={lines}
        className={`block w-full rounded-lg border bg-surface px-3.5 py-2.5 text-base ${borderOf(error)}`}
      />
    </Field>
  );
}
