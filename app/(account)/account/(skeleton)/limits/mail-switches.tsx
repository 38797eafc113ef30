'use client';

import { useState } from 'react';
import { Notice } from '@/app/_ui/notice';
import { SwitchField } from '@/app/_ui/switch-field';
import { useAction } from '@/app/_ui/use-action';
import type { WarningChoices } from '@/server/people/warnings/choice';
import { saveMyMails } from './mail-actions';

const SWITCHES = [
  {
    kind: 'limits',
    label: 'At 50, 80 and 100%',
    hint: 'Once per period for each limit, and for the credits you had after your last purchase.',
  },
  {
    kind: 'unusual',
    label: 'Unusual spending',
    hint: 'When you spend much more than on most days of the last four weeks. At most once a day.',
  },
  {
    kind: 'weekly',
    label: 'Weekly summary',
    hint: 'On Mondays: spending by app compared with the week before, and the credits you have left.',
  },
] as const;

export function MailSwitches({ choices }: { choices: WarningChoices }) {
  const { run, isRunning, failure } = useAction(saveMyMails);
  const [saved, setSaved] = useState(choices);
  const change = async (kind: keyof WarningChoices, isOn: boolean) => {
    setSaved({ ...saved, [kind]: isOn });
    const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions();
    const result = await run({ kind, isOn, zone });
    if (!result.ok) setSaved(saved);
  };
  return (
    <div className="grid max-w-2xl gap-5">
      {SWITCHES.map(({ kind, label, hint }) => (
        <SwitchField
          key={kind}
          label={label}
          hint={hint}
          checked={saved[kind]}
          disabled={isRunning}
          onChange={(isOn) => void change(kind, isOn)}
        />
      ))}
      {failure && <Notice kind="danger">{failure.message}</Notice>}
    </div>
  );
}
