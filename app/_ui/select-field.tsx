import { ChevronDown } from 'lucide-react';
import { type ComponentProps, useId } from 'react';

type Props = ComponentProps<'select'> & {
  label: string;
  /** The label is read out but not shown, for a row of filters. */
  labelHidden?: boolean;
  options: { value: string; label: string }[];
};

/** The browser's native select, which phones and screen readers handle best. */
export function SelectField({ label, labelHidden = false, options, className = '', ...rest }: Props) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className={labelHidden ? 'sr-only' : 'mb-1.5 block text-sm font-medium'}>
        {label}
      </label>
      <div className="relative">
        <select
          {...rest}
          id={id}
          className="h-11 w-full appearance-none rounded-lg border border-field/60 bg-surface pr-9 pl-3 text-base hover:border-field sm:h-10 sm:text-sm"
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
    </div>
  );
}
