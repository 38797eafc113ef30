'use client';

import { useState } from 'react';
import type { ActionResult } from '@/app/_ui/action-result';
import { LimitFields, type LimitTexts } from '@/app/_ui/limit-form';
import { ReasonButton } from '../reason-button';
import { setDefaultLimits, setLimitCeiling } from './limit-actions';
import { ModelIds } from './model-ids';

export function CeilingButton({ partnerId, saved }: { partnerId: string; saved: LimitTexts }) {
  return (
    <LimitsButton
      label="Change ceiling"
      title="The most that each user may spend in this app"
      consequence="Applies from the next request. Higher limits of the partner are lowered to it."
      saved={saved}
      action={(typed) => setLimitCeiling({ partnerId, ...typed })}
    />
  );
}

export function DefaultLimitsButton({ saved }: { saved: LimitTexts }) {
  return (
    <LimitsButton
      label="Change default limits"
      title="Limits of each user in apps that set none"
      consequence="Applies from the next request, until a partner sets limits."
      saved={saved}
      action={setDefaultLimits}
    />
  );
}

type Props = {
  label: string;
  title: string;
  consequence: string;
  saved: LimitTexts;
  action: (typed: Omit<LimitTexts, 'models'> & { models: string; reason: string }) => Promise<ActionResult>;
};

function LimitsButton({ label, title, consequence, saved, action }: Props) {
  const [typed, setTyped] = useState(saved);
  return (
    <ReasonButton
      label={label}
      title={title}
      consequence={consequence}
      onOpen={() => setTyped(saved)}
      action={(reason) => action({ ...typed, models: typed.models.join('\n'), reason })}
      field={{
        name: ['day', 'month', 'request', 'models'],
        render: (error, at) => (
          <>
            <LimitFields
              typed={typed}
              errorOf={(name) => (name === at ? error : undefined)}
              onChange={setTyped}
            />
            {typed.rule !== 'all' && (
              <ModelIds
                value={typed.models.join('\n')}
                error={at === 'models' ? error : undefined}
                onChange={(ids) => setTyped({ ...typed, models: ids.split('\n') })}
              />
            )}
          </>
        ),
      }}
    />
  );
}
