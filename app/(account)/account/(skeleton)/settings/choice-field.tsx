'use client';

import { useState } from 'react';
import type { ActionResult } from '@/app/_ui/action-result';
import { SelectField } from '@/app/_ui/select-field';
import { useAction } from '@/app/_ui/use-action';

type Props = {
  label: string;
  hint: string;
  /** Null for that of the browser. */
  value: string | null;
  options: { value: string; label: string }[];
  save: (chosen: string) => Promise<ActionResult>;
};

/** A setting of the account, or of the browser. Saved as soon as it is chosen. */
export function ChoiceField({ label, hint, value, options, save }: Props) {
  const { run, isRunning, failure } = useAction(save);
  const [shown, setShown] = useState(value ?? '');
  const choose = async (chosen: string) => {
    setShown(chosen);
    if (!(await run(chosen)).ok) setShown(shown);
  };
  return (
    <SelectField
      label={label}
      large
      className="max-w-md"
      value={shown}
      disabled={isRunning}
      error={failure?.message}
      hint={hint}
      options={[{ value: '', label: 'As in my browser' }, ...options]}
      onChange={(event) => void choose(event.target.value)}
    />
  );
}
