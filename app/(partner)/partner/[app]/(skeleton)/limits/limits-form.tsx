'use client';

import { type FormEvent, useState } from 'react';
import type { ActionResult } from '@/app/_ui/action-result';
import { Button } from '@/app/_ui/button';
import { type Model, ModelPicker } from '@/app/_ui/model-picker';
import { Notice } from '@/app/_ui/notice';
import { SelectField } from '@/app/_ui/select-field';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { saveLimitsOfApp, saveLimitsOfUser } from './actions';

/** As text, empty for no limit. */
export type SavedLimits = {
  day: string;
  month: string;
  request: string;
  rule: 'all' | 'only' | 'except';
  models: string[];
};

type Props = {
  partnerId: string;
  saved: SavedLimits;
  /** The most that an operator allows. */
  ceiling: Pick<SavedLimits, Amount> | null;
  models: Model[];
};

type Amount = 'day' | 'month' | 'request';

const FIELDS = [
  { field: 'day', label: 'Credits per day' },
  { field: 'month', label: 'Credits per month' },
  { field: 'request', label: 'Credits per request' },
] as const;

const RULES = [
  { value: 'all', label: 'All models' },
  { value: 'only', label: 'Only selected models' },
  { value: 'except', label: 'All except selected models' },
];

/** The limits of all users of an app. */
export function AppLimitsForm({ partnerId, ...props }: Props) {
  return <LimitsForm {...props} submit={(typed) => saveLimitsOfApp({ partnerId, ...typed })} />;
}

/** The limits of one user, which replace those of all. */
export function UserLimitsForm({ partnerId, user: given, ...props }: Props & { user: string }) {
  const [user, setUser] = useState(given);
  return (
    <LimitsForm
      {...props}
      label="Save limits of the user"
      submit={(typed) => saveLimitsOfUser({ partnerId, user, ...typed })}
      first={(error) => (
        <TextField
          label="User ID"
          name="user"
          autoComplete="off"
          spellCheck={false}
          placeholder="au_…"
          value={user}
          error={error}
          onChange={(event) => setUser(event.target.value)}
        />
      )}
    />
  );
}

type FormProps = Omit<Props, 'partnerId'> & {
  label?: string;
  submit: (typed: SavedLimits) => Promise<ActionResult>;
  first?: (error: string | undefined) => React.ReactNode;
};

function LimitsForm({ saved, ceiling, models, label = 'Save limits', submit, first }: FormProps) {
  const [typed, setTyped] = useState(saved);
  const { run, isRunning, failure, clearFailure } = useAction(submit);
  const change = (part: Partial<SavedLimits>) => {
    setTyped({ ...typed, ...part });
    clearFailure();
  };
  const errorOf = (field: string) => (failure?.field === field ? failure.message : undefined);
  const send = (event: FormEvent) => {
    event.preventDefault();
    void run({ ...typed, models: typed.rule === 'all' ? [] : typed.models });
  };
  return (
    <form onSubmit={send} noValidate className="max-w-2xl">
      <div className="grid gap-x-4 gap-y-2 sm:grid-cols-2">
        {first && <div className="sm:col-span-2">{first(errorOf('user'))}</div>}
        {FIELDS.map(({ field, label: name }) => (
          <TextField
            key={field}
            label={name}
            name={field}
            inputMode="decimal"
            autoComplete="off"
            placeholder="No limit"
            hint={ceiling?.[field] ? `At most ${ceiling[field]}` : undefined}
            value={typed[field]}
            error={errorOf(field)}
            onChange={(event) => change({ [field]: event.target.value })}
          />
        ))}
        <SelectField
          label="Models"
          large
          value={typed.rule}
          options={RULES}
          onChange={(event) => change({ rule: event.target.value as SavedLimits['rule'] })}
        />
      </div>
      {typed.rule !== 'all' && (
        <ModelPicker
          models={models}
          chosen={typed.models}
          error={errorOf('models')}
          onChange={(chosen) => change({ models: chosen })}
        />
      )}
      {failure && failure.field === undefined && (
        <div className="mt-4">
          <Notice kind="danger">{failure.message}</Notice>
        </div>
      )}
      <div className="mt-5">
        <Button type="submit" busy={isRunning}>
          {label}
        </Button>
      </div>
    </form>
  );
}
