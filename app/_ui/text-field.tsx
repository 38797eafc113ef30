import { type ComponentProps, type ReactNode, useEffect, useId } from 'react';
import { borderOf, Field, noted } from './field';
import { useEarlyInput } from './use-early-input';
import { useFocusOnError } from './use-focus-on-error';

type Props = Omit<ComponentProps<'input'>, 'prefix'> & {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  prefix?: ReactNode;
};

/** A field for text. */
export function TextField({ label, hint, error, prefix, autoFocus, className = '', ...rest }: Props) {
  const id = useId();
  const input = useFocusOnError<HTMLInputElement>(error);
  useEarlyInput(input);
  useEffect(() => {
    // Browsers ignore the attribute in a frame of another origin.
    if (autoFocus) input.current?.focus();
  }, [autoFocus, input]);
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      <div
        className={`flex h-12 items-center rounded-lg border bg-surface transition-colors focus-within:outline-2 focus-within:outline-offset-[-1px] focus-within:outline-accent ${borderOf(error)}`}
      >
        {prefix && <span className="pl-3.5 text-muted">{prefix}</span>}
        <input
          {...rest}
          {...noted(id, { hint, error })}
          ref={input}
          className={`h-full w-full min-w-0 rounded-lg bg-transparent px-3.5 text-base outline-none placeholder:text-muted/80 ${className}`}
        />
      </div>
    </Field>
  );
}
