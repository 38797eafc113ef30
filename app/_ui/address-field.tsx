import { useId } from 'react';
import { useFocusOnError } from './use-focus-on-error';

/** The lines of a postal address, without the country. */
export function AddressField({ lines, error }: { lines: string | undefined; error: string | undefined }) {
  const id = useId();
  const field = useFocusOnError<HTMLTextAreaElement>(error);
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        Address
      </label>
      <textarea
        ref={field}
        id={id}
        name="address"
        rows={3}
        autoComplete="street-address"
        defaultValue={lines}
        aria-invalid={error ? true : undefined}
        aria-describedby={`${id}-note`}
        className={`block w-full rounded-lg border bg-surface px-3.5 py-2.5 text-base ${error ? 'border-danger' : 'border-field/60 hover:border-field'}`}
      />
      <p
        id={`${id}-note`}
        aria-live="polite"
        className={`mt-1.5 min-h-5 text-sm ${error ? 'text-danger' : 'text-muted'}`}
      >
        {error ?? 'One to six lines, without the country'}
      </p>
    </div>
  );
}
