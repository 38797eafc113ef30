import { ChevronDown } from 'lucide-react';
import { type ComponentProps, useId } from 'react';
import { borderOf, Field, noted } from './field';
import { useFocusOnError } from './use-focus-on-error';

type Props = ComponentProps<'select'> & {
  label: string;
  /** The label is read out but not shown, for a row of filters. */
  labelHidden?: boolean;
  options: { value: string; label: string }[];
  hint?: string;
  error?: string | undefined;
  /** As high as a text field, in a form of both. */
  large?: boolean;
};

/** The browser's native select, which phones and screen readers handle best. */
export function SelectField({
  label,
  labelHidden = false,
  options,
  hint,
  error,
  large = false,
  className = '',
  ...rest
}: Props) {
  const id = useId();
  const select = useFocusOnError<HTMLSelectElement>(error);
  return (
    <Field id={id} label={label} labelHidden={labelHidden} hint={hint} error={error} className={className}>
      <div className="relative">
        <select
          {...rest}
          {...noted(id, { hint, error })}
          ref={select}
          className={`w-full appearance-none rounded-lg border bg-surface pr-9 text-base ${large ? 'h-12 pl-3.5' : 'h-11 pl-3 sm:h-10 sm:text-sm'} ${borderOf(error)}`}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
        <ChevronDown
          size={16}
          aria-hidden="true"
          className="pointer-events-none absolute top-1/2 right-3 -translate-y-1/2 text-muted"
        />
      </div>
    </Field>
  );
}
