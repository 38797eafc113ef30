'use client';

import { ChoiceField } from './choice-field';
import { saveMyTimeZone } from './time-zone-actions';

type Props = { zone: string | null; zones: string[] };

export function TimeZoneField({ zone, zones }: Props) {
  const names = [...new Set(['UTC', ...(zone === null ? [] : [zone]), ...zones])];
  return (
    <ChoiceField
      label="Time zone"
      hint="Limits have a time zone of their own. Statements and charts count days in UTC."
      value={zone}
      options={names.map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
      save={(chosen) => saveMyTimeZone({ zone: chosen })}
    />
  );
}
