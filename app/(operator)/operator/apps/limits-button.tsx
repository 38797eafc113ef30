'use client';

import { useState } from 'react';
import type { ActionResult } from '@/app/_ui/action-result';
import { SelectField } from '@/app/_ui/select-field';
import { TextField } from '@/app/_ui/text-field';
import { ReasonButton } from '../reason-button';
import { setDefaultLimits, setLimitCeiling } from './limit-actions';
import { ModelIds } from './model-ids';

/** As text, empty for no limit. */
export type LimitTexts = {
  day: string;
  month: string;
  request: string;
  rule: 'all' | 'only' | 'except';
  models: string;
};

const FIELDS = [
  { field: 'day', label: 'Credits per day' },
  { field: 'month', label: 'Credits per month' },
  { field: 'request', label: 'Credits per request' },
] as const;

const RULES = [
  { value: 'all', label: 'All models' },
  { value: 'only', label: 'Only these models' },
  { value: 'except', label: 'All except these models' },
];

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
  action: (typed: LimitTexts & { reason: string }) => Promise<ActionResult>;
};

function LimitsButton({ label, title, consequence, saved, action }: Props) {
  const [typed, setTyped] = useState(saved);
  return (
    <ReasonButton
      label={label}
      title={title}
      consequence={consequence}
      onOpen={() => setTyped(saved)}
      action={(reason) => action({ ...typed, reason })}
      field={{
        name: ['day', 'month', 'request', 'models'],
        render: (error, at) => (
          <>
            {FIELDS.map(({ field, label: name }) => (
              <TextField
                key={field}
                label={name}
                placeholder="No limit"
                error={at === field ? error : undefined}
                inputMode="decimal"
                autoComplete="off"
                value={typed[field]}
                onChange={(event) => setTyped({ ...typed, [field]: event.target.value })}
              />
            ))}
            <SelectField
              label="Models"
              large
              value={typed.rule}
              options={RULES}
              onChange={(event) => setTyped({ ...typed, rule: event.target.value as LimitTexts['rule'] })}
            />
            {typed.rule !== 'all' && (
              <ModelIds
                value={typed.models}
                error={at === 'models' ? error : undefined}
                onChange={(models) => setTyped({ ...typed, models })}
              />
            )}
          </>
        ),
      }}
    />
  );
}
