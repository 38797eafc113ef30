import { type ComponentProps, type ReactNode, useId } from 'react';
import { useEarlyInput } from './use-early-input';
import { useFocusOnError } from './use-focus-on-error';

type Props = Omit<ComponentProps<'input'>, 'prefix'> & {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  prefix?: ReactNode;
};

/** A labelled field. Its hint and error share one place below, so nothing moves. */
export function TextField({ label, hint, error, prefix, className = '', ...rest }: Props) {
  const id = useId();
  const input = useFocusOnError<HTMLInputElement>(error);
  useEarlyInput(input);
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        {label}
      </label>
      <div
        className={`flex h-12 items-center rounded-lg border bg-surface transition-colors focus-within:outline-2 focus-within:outline-offset-[-1px] focus-within:outline-accent ${error ? 'border-danger' : 'border-field/60 hover:border-field'}`}
      >
        {prefix && <span className="pl-3.5 text-muted">{prefix}</span>}
        <input
          {...rest}
          ref={input}
          id={id}
          aria-invalid={error ? true : undefined}
          aria-describedby={error || hint ? `${id}-note` : undefined}
          className={`h-full w-full min-w-0 rounded-lg bg-transparent px-3.5 text-base outline-none placeholder:text-muted/80 ${className}`}
        />
      </div>
      <p
        id={`${id}-note`}
        aria-live="polite"
        className={`mt-1.5 min-h-5 text-sm ${error ? 'text-danger' : 'text-muted'}`}
      >
        {error ?? hint}
      </p>
    </div>
  );
}
