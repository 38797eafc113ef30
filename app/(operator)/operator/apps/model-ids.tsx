import { useId } from 'react';

type Props = { value: string; error: string | undefined; onChange: (text: string) => void };

/** Models as text, for a dialog of an operator. */
export function ModelIds({ value, error, onChange }: Props) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        Model IDs, one per line
      </label>
      <textarea
        id={id}
        rows={6}
        value={value}
        spellCheck={false}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}-note` : undefined}
        onChange={(event) => onChange(event.target.value)}
        className={`block w-full rounded-lg border bg-surface p-3 font-mono text-base sm:text-[13px] ${error ? 'border-danger' : 'border-field/60 hover:border-field'}`}
      />
      <p id={`${id}-note`} aria-live="polite" className="mt-1.5 text-sm text-danger empty:hidden">
        {error}
      </p>
    </div>
  );
}
