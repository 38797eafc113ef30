'use client';

import { useState } from 'react';
import { Notice } from '@/app/_ui/notice';
import { SwitchField } from '@/app/_ui/switch-field';
import { useAction } from '@/app/_ui/use-action';
import { saveAlerts } from './actions';

export function AlertsSwitch({
  partnerId,
  email,
  isOn,
}: {
  partnerId: string;
  email: string;
  isOn: boolean;
}) {
  const { run, isRunning, failure } = useAction(saveAlerts);
  const [saved, setSaved] = useState(isOn);
  const change = async (wanted: boolean) => {
    setSaved(wanted);
    if (!(await run({ partnerId, isOn: wanted })).ok) setSaved(!wanted);
  };
  return (
    <div className="grid max-w-2xl gap-4">
      <SwitchField
        label="Alerts by e-mail"
        hint={`Sent to ${email} about all apps of the team. They never name users or quote their requests.`}
        checked={saved}
        disabled={isRunning}
        onChange={(wanted) => void change(wanted)}
      />
      {failure && <Notice kind="danger">{failure.message}</Notice>}
    </div>
  );
}
