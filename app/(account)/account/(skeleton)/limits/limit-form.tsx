'use client';

import { type ComponentProps, useState } from 'react';
import { LimitForm } from '@/app/_ui/limit-form';
import { SelectField } from '@/app/_ui/select-field';
import { useIsHydrated } from '@/app/_ui/use-is-hydrated';
import { saveMyLimits } from './actions';

type Props = Pick<ComponentProps<typeof LimitForm>, 'saved' | 'models'> & {
  partnerId: string;
  name: string;
  /** Null while the user has no limits. */
  zone: string | null;
  zones: string[];
};

/** The user's own limits of one app, or of all apps. */
export function MyLimitForm({ partnerId, name, zone, zones, ...props }: Props) {
  const [chosenZone, setZone] = useState(zone);
  const isHydrated = useIsHydrated();
  const ofBrowser = isHydrated ? Intl.DateTimeFormat().resolvedOptions().timeZone : 'UTC';
  const shownZone = chosenZone ?? ofBrowser;
  return (
    <LimitForm
      {...props}
      isWeekly
      canRemove
      describe={`Save limits of ${name}`}
      modelsHint="Applies to the requested model and its fallbacks."
      action={(typed) => saveMyLimits({ partnerId, zone: shownZone, ...typed })}
      after={(errorOf) => (
        <SelectField
          label="Time zone"
          large
          value={shownZone}
          hint="Applies to all your limits, from the next period."
          error={errorOf('zone')}
          options={[...new Set(['UTC', shownZone, ...zones])].map((value) => ({
            value,
            label: value.replaceAll('_', ' '),
          }))}
          onChange={(event) => setZone(event.target.value)}
        />
      )}
    />
  );
}
