'use client';

import { useState } from 'react';
import { SwitchField } from '@/app/_ui/switch-field';
import { TextField } from '@/app/_ui/text-field';
import { ReasonButton } from '../../reason-button';
import { ModelIds } from '../model-ids';
import type { AppState } from '../state-badge';
import { changeState, reviewName, reviewProfile, setCap, setHold, setModels } from './actions';

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
        {button('decline', 'Decline', 'The app stays disabled, and its owner sees that it was declined.')}
        {button('approve', 'Approve', 'Its keys and checkout start working immediately.')}
      </>
    );
  }
  if (state === 'deleted') return null;
  return state === 'enabled' || state === 'paused'
    ? button(
        'disable',
        'Disable',
        'Its keys and checkout stop working with the next request, and its webhooks wait. Users keep their credits. You can enable it again.',
      )
    : button(
        'enable',
        'Enable',
        'Its keys and checkout start working immediately, and pending webhooks are sent.',
      );
}

type ProfileProps = { partnerId: string; name: string; hash: string };

/** `hash` is that of what the operator sees. */
export function ProfileButtons({ partnerId, name, hash }: ProfileProps) {
  return (
    <div className="flex flex-wrap gap-2">
      <ReasonButton
        label="Approve profile"
        title={`Approve the profile of ${name}?`}
        consequence="Users see the logo, the site and the support address in the checkout."
        look="primary"
        action={(reason) => reviewProfile({ partnerId, what: 'profile_approve', hash, reason })}
      />
      <ReasonButton
        label="Decline profile"
        title={`Decline the profile of ${name}?`}
        consequence="Users keep seeing what was approved before. The owner can save another one."
        action={(reason) => reviewProfile({ partnerId, what: 'profile_decline', hash, reason })}
      />
    </div>
  );
}

type NameProps = { partnerId: string; name: string; isRename: boolean };

/** `name` is what the operator sees: a new name, or the current one if nobody has approved it. */
export function NameButtons({ partnerId, name, isRename }: NameProps) {
  return (
    <div className="flex flex-wrap gap-2">
      <ReasonButton
        label="Approve name"
        title={`Approve the name ${name}?`}
        consequence="Users see it in the checkout and in e-mails, without the app’s origin next to it."
        look="primary"
        action={(reason) => reviewName({ partnerId, what: 'name_approve', name, reason })}
      />
      {isRename && (
        <ReasonButton
          label="Decline name"
          title={`Decline the name ${name}?`}
          consequence="The app keeps its current name."
          isDanger
          action={(reason) => reviewName({ partnerId, what: 'name_decline', name, reason })}
        />
      )}
    </div>
  );
}

export function RateCapButton({ partnerId, cap }: { partnerId: string; cap: string }) {
  const [percent, setPercent] = useState(cap);
  return (
    <ReasonButton
      label="Change rate cap"
      title="Change the rate cap"
      consequence="Current and scheduled rates above the cap are lowered to it."
      onOpen={() => setPercent(cap)}
      action={(reason) => setCap({ partnerId, percent, reason })}
      field={{
        name: 'percent',
        render: (error) => (
          <TextField
            label="Maximum, in percent"
            hint="0 to 100"
            error={error}
            inputMode="decimal"
            autoComplete="off"
            value={percent}
            onChange={(event) => setPercent(event.target.value)}
          />
        ),
      }}
    />
  );
}

type HoldProps = { partnerId: string; days: string; defaultDays: number };

export function HoldButton({ partnerId, days: saved, defaultDays }: HoldProps) {
  const [days, setDays] = useState(saved);
  return (
    <ReasonButton
      label="Change maturity period"
      title="Change the maturity period"
      consequence="Applies to all commission that has not matured yet. Commission that was paid out is not affected."
      onOpen={() => setDays(saved)}
      action={(reason) => setHold({ partnerId, days, reason })}
      field={{
        name: 'days',
        render: (error) => (
          <TextField
            label="Days until commission matures"
            hint={`Leave empty for the default, ${defaultDays}`}
            error={error}
            inputMode="numeric"
            autoComplete="off"
            value={days}
            onChange={(event) => setDays(event.target.value)}
          />
        ),
      }}
    />
  );
}

export function ModelsButton({ partnerId, allowed }: { partnerId: string; allowed: string[] | null }) {
  const [isAll, setAll] = useState(allowed === null);
  const [models, setText] = useState(allowed?.join('\n') ?? '');
  return (
    <ReasonButton
      label="Change models"
      title="Models the app may use"
      consequence="Applies from the next request."
      onOpen={() => {
        setAll(allowed === null);
        setText(allowed?.join('\n') ?? '');
      }}
      action={(reason) => setModels({ partnerId, models: isAll ? null : models, reason })}
      field={{
        name: 'models',
        render: (error) => (
          <>
            <div className="mb-1">
              <SwitchField label="All models" checked={isAll} onChange={setAll} />
            </div>
            {!isAll && <ModelIds value={models} error={error} onChange={setText} />}
          </>
        ),
      }}
    />
  );
}
