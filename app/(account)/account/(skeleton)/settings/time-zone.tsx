'use client';

import { useState } from 'react';
import { SelectField } from '@/app/_ui/select-field';
import { useAction } from '@/app/_ui/use-action';
import { saveMyTimeZone } from './time-zone-actions';

type Props = { zone: string | null; zones: string[] };

/** Saved as soon as it is chosen. */
export function TimeZoneField({ zone, zones }: Props) {
  const { run, isRunning, failure } = useAction(saveMyTimeZone);
  const [shown, setShown] = useState(zone ?? '');
  const choose = async (chosen: string) => {
    setShown(chosen);
    if (!(await run({ zone: chosen })).ok) setShown(shown);
  };
  const names = [...new Set(['UTC', ...(zone === null ? [] : [zone]), ...zones])];
  return (
    <SelectField
      label="Time zone"
      large
      className="max-w-md"
      value={shown}
      disabled={isRunning}
      error={failure?.message}
      hint="Limits have a time zone of their own. Statements and charts count days in UTC."
      options={[
        { value: '', label: 'As in my browser' },
        ...names.map((value) => ({ value, label: value.replaceAll('_', ' ') })),
      ]}
      onChange={(event) => void choose(event.target.value)}
    />
  );
}
