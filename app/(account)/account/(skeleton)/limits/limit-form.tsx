'use client';

import { type FormEvent, useState } from 'react';
import { formatCredits } from '@/app/_ui/amount';
import { Button } from '@/app/_ui/button';
import { type Model, ModelPicker } from '@/app/_ui/model-picker';
import { Notice } from '@/app/_ui/notice';
import { SelectField } from '@/app/_ui/select-field';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { useIsHydrated } from '@/app/_ui/use-is-hydrated';
import type { LimitView } from '@/server/people/user-limits';
import { saveMyLimits } from './actions';

type Props = {
  partnerId: string;
  name: string;
  saved: LimitView | null;
  /** Null while the user has no limits. */
  zone: string | null;
  zones: string[];
  models: Model[];
};

type Rule = 'all' | 'only' | 'except';

const FIELDS = [
  { field: 'day', label: 'Credits per day' },
  { field: 'week', label: 'Credits per week' },
  { field: 'month', label: 'Credits per month' },
  { field: 'request', label: 'Credits per request' },
] as const;

const RULES = [
  { value: 'all', label: 'All models' },
  { value: 'only', label: 'Only selected models' },
  { value: 'except', label: 'All except selected models' },
];

/** Sets, changes and removes the limits of one app, or of all apps. */
export function LimitForm({ partnerId, name, saved, zone, zones, models }: Props) {
  const [typed, setTyped] = useState(() => readAmounts(saved));
  const [rule, setRule] = useState<Rule>(saved?.models?.rule ?? 'all');
  const [chosen, setChosen] = useState<string[]>(saved?.models?.models ?? []);
  const [chosenZone, setZone] = useState(zone);
  const isHydrated = useIsHydrated();
  const { run, isRunning, failure, clearFailure } = useAction(saveMyLimits);
  const ofBrowser = isHydrated ? Intl.DateTimeFormat().resolvedOptions().timeZone : 'UTC';
  const shownZone = chosenZone ?? ofBrowser;
  const errorOf = (field: string) => (failure?.field === field ? failure.message : undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run({ partnerId, ...typed, zone: shownZone, rule, models: rule === 'all' ? [] : chosen });
  };
  return (
    <form onSubmit={submit} noValidate className="max-w-2xl">
      <div className="grid gap-x-4 gap-y-2 sm:grid-cols-2">
        {FIELDS.map(({ field, label }) => (
          <TextField
            key={field}
            label={label}
            name={field}
            inputMode="decimal"
            autoComplete="off"
            placeholder="No limit"
            value={typed[field]}
            error={errorOf(field)}
            onChange={(event) => {
              setTyped({ ...typed, [field]: event.target.value });
              clearFailure();
            }}
          />
        ))}
        <SelectField
          label="Models"
          large
          value={rule}
          hint="Applies to the requested model and its fallbacks."
          options={RULES}
          onChange={(event) => {
            setRule(event.target.value as Rule);
            clearFailure();
          }}
        />
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
      </div>
      {rule !== 'all' && (
        <ModelPicker models={models} chosen={chosen} error={errorOf('models')} onChange={setChosen} />
      )}
      {failure && failure.field === undefined && (
        <div className="mt-4">
          <Notice kind="danger">{failure.message}</Notice>
        </div>
      )}
      <div className="mt-5 flex flex-wrap gap-2">
        <Button type="submit" busy={isRunning} aria-label={`Save limits of ${name}`}>
          Save limits
        </Button>
        {saved !== null && hasLimits(saved) && (
          <Button
            look="quiet"
            busy={isRunning}
            onClick={() => void run({ partnerId, ...NO_AMOUNTS, zone: shownZone, rule: 'all', models: [] })}
          >
            Remove limits
          </Button>
        )}
      </div>
    </form>
  );
}

const NO_AMOUNTS = { request: '', day: '', week: '', month: '' };

const write = (credits: number | null): string =>
  credits === null ? '' : formatCredits(credits, 'en', 6).replaceAll(',', '');

function readAmounts(saved: LimitView | null): typeof NO_AMOUNTS {
  if (saved === null) return NO_AMOUNTS;
  const amounts = Object.fromEntries(saved.periods.map(({ period, most }) => [period, write(most)]));
  return { ...NO_AMOUNTS, ...amounts, request: write(saved.request) };
}

const hasLimits = ({ request, models, periods }: LimitView): boolean =>
  request !== null || models !== null || periods.some(({ most }) => most !== null);
