'use client';

import { useState } from 'react';
import { SwitchField } from '@/app/_ui/switch-field';
import { TextField } from '@/app/_ui/text-field';
import { ReasonButton } from '../../reason-button';
import type { AppState } from '../state-badge';
import { changeState, setCap, setModels } from './actions';

type StateProps = { partnerId: string; name: string; state: AppState };

export function StateButtons({ partnerId, name, state }: StateProps) {
  const button = (what: 'approve' | 'decline' | 'disable' | 'enable', label: string, consequence: string) => (
    <ReasonButton
      label={label}
      title={`${label} ${name}?`}
      consequence={consequence}
      look={what === 'approve' || what === 'enable' ? 'primary' : 'secondary'}
      isDanger={what === 'disable' || what === 'decline'}
      action={(reason) => changeState({ partnerId, what, reason })}
    />
  );
  if (state === 'pending') {
    return (
      <>
        {button('decline', 'Decline', 'The app stays disabled and its owner is shown that it was declined.')}
        {button('approve', 'Approve', 'Its keys and its checkout work at once.')}
      </>
    );
  }
  return state === 'enabled'
    ? button(
        'disable',
        'Disable',
        'Its keys and its checkout stop with the next request, and its webhooks wait. Users keep their credits. It can be enabled again.',
      )
    : button('enable', 'Enable', 'Its keys and its checkout work at once, and waiting webhooks go out.');
}

export function RateCapButton({ partnerId, cap }: { partnerId: string; cap: string }) {
  const [percent, setPercent] = useState(cap);
  return (
    <ReasonButton
      label="Change rate cap"
      title="Change the rate cap"
      consequence="A rate above the cap, in force or planned, comes down to it."
      action={(reason) => setCap({ partnerId, percent, reason })}
    >
      <TextField
        label="At most, in percent"
        inputMode="decimal"
        value={percent}
        onChange={(event) => setPercent(event.target.value)}
      />
    </ReasonButton>
  );
}

export function ModelsButton({ partnerId, allowed }: { partnerId: string; allowed: string[] | null }) {
  const [isAll, setAll] = useState(allowed === null);
  const [models, setText] = useState(allowed?.join('\n') ?? '');
  return (
    <ReasonButton
      label="Change models"
      title="Models that the app may use"
      consequence="Holds from the next request on."
      action={(reason) => setModels({ partnerId, models: isAll ? null : models, reason })}
    >
      <div className="mb-1">
        <SwitchField label="All models" checked={isAll} onChange={setAll} />
      </div>
      {!isAll && (
        <label className="block">
          <span className="mb-1.5 block text-sm font-medium">Model ids, one in a line</span>
          <textarea
            rows={6}
            value={models}
            spellCheck={false}
            onChange={(event) => setText(event.target.value)}
            className="w-full rounded-lg border border-field/60 bg-surface p-3 font-mono text-[13px] hover:border-field"
          />
        </label>
      )}
    </ReasonButton>
  );
}
