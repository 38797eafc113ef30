'use client';

import { type FormEvent, type ReactNode, useState } from 'react';
import type { ActionResult } from './action-result';
import { Button } from './button';
import { type Model, ModelPicker } from './model-picker';
import { Notice } from './notice';
import { SelectField } from './select-field';
import { TextField } from './text-field';
import { useAction } from './use-action';

type Amount = 'day' | 'week' | 'month' | 'request';

/** As text, empty for no limit. */
export type LimitTexts = Record<Amount, string> & { rule: 'all' | 'only' | 'except'; models: string[] };

type ErrorOf = (field: string) => string | undefined;

type Props = {
  saved: LimitTexts;
  action: (typed: LimitTexts) => Promise<ActionResult>;
  models: Model[];
  label?: string;
  /** For screen readers, where several forms have the same label. */
  describe?: string;
  canRemove?: boolean;
  before?: (errorOf: ErrorOf) => ReactNode;
  after?: (errorOf: ErrorOf) => ReactNode;
} & Pick<FieldsProps, 'isWeekly' | 'ceiling' | 'modelsHint'>;

/** Sets, changes and removes limits. `before` and `after` are further fields, which `action` knows. */
export function LimitForm({ saved, action, models, label = 'Save limits', ...props }: Props) {
  const { describe, canRemove = false, before, after, ...fields } = props;
  const [typed, setTyped] = useState(saved);
  const { run, isRunning, failure, clearFailure } = useAction(action);
  const errorOf: ErrorOf = (field) => (failure?.field === field ? failure.message : undefined);
  const change = (changed: LimitTexts) => {
    setTyped(changed);
    clearFailure();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(typed.rule === 'all' ? { ...typed, models: [] } : typed);
  };
  return (
    <form onSubmit={submit} noValidate className="max-w-2xl">
      <div className="fields sm:grid-cols-2">
        {before?.(errorOf)}
        <LimitFields {...fields} typed={typed} errorOf={errorOf} onChange={change} />
        {after?.(errorOf)}
      </div>
      {typed.rule !== 'all' && (
        <ModelPicker
          models={models}
          chosen={typed.models}
          error={errorOf('models')}
          onChange={(chosen) => change({ ...typed, models: chosen })}
        />
      )}
      {failure && failure.field === undefined && (
        <div className="mt-4">
          <Notice kind="danger">{failure.message}</Notice>
        </div>
      )}
      <div className="mt-5 flex flex-wrap gap-2">
        <Button type="submit" busy={isRunning} aria-label={describe}>
          {label}
        </Button>
        {canRemove && hasLimits(saved) && (
          <Button look="quiet" busy={isRunning} onClick={() => void run(NO_LIMITS)}>
            Remove limits
          </Button>
        )}
      </div>
    </form>
  );
}

const NO_LIMITS: LimitTexts = { day: '', week: '', month: '', request: '', rule: 'all', models: [] };

const hasLimits = ({ rule, models: _, ...amounts }: LimitTexts): boolean =>
  rule !== 'all' || Object.values(amounts).some((text) => text !== '');

type FieldsProps = {
  typed: LimitTexts;
  errorOf: ErrorOf;
  onChange: (typed: LimitTexts) => void;
  isWeekly?: boolean;
  /** The most that an operator allows. */
  ceiling?: LimitTexts | null;
  modelsHint?: string;
};

const AMOUNTS: readonly Amount[] = ['day', 'week', 'month', 'request'];

const BY_SIZE: readonly Amount[] = ['request', 'day', 'week', 'month'];
const toNumber = (text: string): number =>
  text.trim() === '' ? Number.NaN : Number(text.replaceAll(',', ''));

/** A limit above that of a longer period limits nothing, which is rarely meant. */
function findLower(typed: LimitTexts, amount: Amount): string | undefined {
  const longer = BY_SIZE.slice(BY_SIZE.indexOf(amount) + 1);
  const lower = longer.find((other) => toNumber(typed[other]) < toNumber(typed[amount]));
  return lower && `Never reached: the limit per ${lower} is lower.`;
}

const RULES = [
  { value: 'all', label: 'All models' },
  { value: 'only', label: 'Only selected models' },
  { value: 'except', label: 'All except selected models' },
];

/** The amounts and the rule for models. The caller shows the models if there is a rule. */
export function LimitFields({ typed, errorOf, onChange, isWeekly = false, ceiling, ...props }: FieldsProps) {
  return (
    <>
      {AMOUNTS.filter((amount) => isWeekly || amount !== 'week').map((amount) => (
        <TextField
          key={amount}
          label={`Credits per ${amount}`}
          name={amount}
          inputMode="decimal"
          autoComplete="off"
          placeholder="No limit"
          hint={findLower(typed, amount) ?? (ceiling?.[amount] ? `At most ${ceiling[amount]}` : undefined)}
          value={typed[amount]}
          error={errorOf(amount)}
          onChange={(event) => onChange({ ...typed, [amount]: event.target.value })}
        />
      ))}
      <SelectField
        label="Models"
        large
        value={typed.rule}
        options={RULES}
        {...(props.modelsHint && { hint: props.modelsHint })}
        onChange={(event) => onChange({ ...typed, rule: event.target.value as LimitTexts['rule'] })}
      />
    </>
  );
}
