'use client';

import { type ComponentProps, useState } from 'react';
import { SelectField } from '@/app/_ui/select-field';
import { MAX_SEARCH } from './search';

/** The fields of a `FilterForm`. They follow the URL, because the browser's back button changes it too. */

type SelectProps = Pick<ComponentProps<typeof SelectField>, 'label' | 'options' | 'className'> & {
  name: string;
  value: string;
};

export function FilterSelect({ value, ...rest }: SelectProps) {
  const [chosen, setChosen] = useChosen(value);
  return (
    <SelectField {...rest} labelHidden value={chosen} onChange={(event) => setChosen(event.target.value)} />
  );
}

type SearchProps = { label: string; value: string };

/** What is searched for. Enter applies it. */
export function SearchField({ label, value }: SearchProps) {
  const [typed, setTyped] = useChosen(value);
  return (
    <input
      type="search"
      name="user"
      value={typed}
      maxLength={MAX_SEARCH}
      onChange={(event) => setTyped(event.target.value)}
      aria-label={label}
      placeholder={label}
      autoComplete="off"
      autoCapitalize="none"
      enterKeyHint="search"
      spellCheck={false}
      className="h-11 w-full rounded-lg border border-field/60 bg-surface px-3 font-mono text-base placeholder:text-muted hover:border-field max-sm:col-span-2 sm:h-10 sm:w-60 sm:text-[13px]"
    />
  );
}

function useChosen(value: string) {
  const [chosen, setChosen] = useState(value);
  const [given, setGiven] = useState(value);
  if (given !== value) {
    setGiven(value);
    setChosen(value);
  }
  return [chosen, setChosen] as const;
}
