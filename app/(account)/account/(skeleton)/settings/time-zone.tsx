'use client';

import { SelectField } from '@/app/_ui/select-field';
import { useAction } from '@/app/_ui/use-action';
import { saveMyTimeZone } from './time-zone-actions';

type Props = { zone: string | null; zones: string[] };

/** Saved as soon as it is chosen. */
export function TimeZoneField({ zone, zones }: Props) {
  const { run, isRunning, failure } = useAction(saveMyTimeZone);
  const names = [...new Set(['UTC', ...(zone === null ? [] : [zone]), ...zones])];
  return (
    <SelectField
      label="Time zone"
      large
      className="max-w-md"
      value={zone ?? ''}
      disabled={isRunning}
      error={failure?.message}
      hint="Limits have a time zone of their own. Statements and charts count days in UTC."
      options={[
        { value: '', label: 'As in my browser' },
        ...names.map((value) => ({ value, label: value.replaceAll('_', ' ') })),
      ]}
      onChange={(event) => void run({ zone: event.target.value })}
    />
  );
}
