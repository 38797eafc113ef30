'use client';

import { useId } from 'react';

export type Size = { input: number; output: number; rate: number };

const LIMITS: Record<keyof Size, number> = { input: 10_000_000, output: 1_000_000, rate: 100 };

/** The size of the request that the table prices, as a sentence to fill in. */
export function RequestSize({ size, onChange }: { size: Size; onChange: (size: Size) => void }) {
  const field = (name: keyof Size, label: string, width: string) => (
    <NumberField
      label={label}
      value={size[name]}
      max={LIMITS[name]}
      width={width}
      onChange={(value) => onChange({ ...size, [name]: value })}
    />
  );
  return (
    <fieldset className="rounded-xl bg-sunken px-5 py-2">
      <legend className="sr-only">Your request</legend>
      <p className="text-[15px] leading-[3.25rem]">
        A request of {field('input', 'Input tokens', 'w-24')} input and{' '}
        <span className="whitespace-nowrap">{field('output', 'Output tokens', 'w-24')} output tokens,</span>{' '}
        in an app with{' '}
        <span className="whitespace-nowrap">
          {field('rate', 'Commission in percent', 'w-20')}% commission,
        </span>{' '}
        costs the credits in the “Your request” column.
      </p>
    </fieldset>
  );
}

type FieldProps = {
  label: string;
  value: number;
  max: number;
  width: string;
  onChange: (value: number) => void;
};

/** Invalid input keeps the last valid number. */
function NumberField({ label, value, max, width, onChange }: FieldProps) {
  const id = useId();
  return (
    <>
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <input
        id={id}
        type="number"
        inputMode="numeric"
        min={0}
        max={max}
        step={1}
        defaultValue={value}
        onChange={({ target }) => {
          const number = target.valueAsNumber;
          if (Number.isInteger(number) && number >= 0 && number <= max) onChange(number);
        }}
        className={`h-11 rounded-lg border border-field/60 bg-surface px-2.5 text-right text-base tabular-nums hover:border-field invalid:border-danger sm:h-10 sm:text-[15px] ${width}`}
      />
    </>
  );
}
