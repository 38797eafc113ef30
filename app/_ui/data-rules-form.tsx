'use client';

import { useState } from 'react';
import { countOf } from '@/server/base/count-of';
import {
  DATA_RULES,
  type DataRule,
  NO_RULES,
  type RuleSet,
  readRules,
  writeRules,
} from '@/server/base/data-rules';
import type { ActionResult } from './action-result';
import { Notice } from './notice';
import { SelectField } from './select-field';
import { SwitchField } from './switch-field';
import { useAction } from './use-action';

const SWITCHES = [
  {
    rule: 'no_training',
    label: 'No training',
    hint: 'Only providers that say they do not train models on requests.',
  },
  {
    rule: 'no_retention',
    label: 'No retention',
    hint: 'Only providers that say they store nothing of a request once it has ended.',
  },
] as const;

const REGIONS = [
  { value: '', label: 'Any region' },
  { value: 'region_eu', label: 'European Union' },
  { value: 'region_us', label: 'United States' },
];

type Props = {
  rules: RuleSet;
  /** How many of the served models meet each choice, by the rules as a number. */
  counts: Readonly<Record<RuleSet, number>>;
  save: (choice: { rules: DataRule[] }) => Promise<ActionResult>;
};

/** Each choice is saved at once. */
export function DataRulesForm({ rules, counts, save }: Props) {
  const { run, isRunning, failure } = useAction(save);
  const [saved, setSaved] = useState(rules);
  const chosen = readRules(saved);
  const change = async (next: DataRule[]) => {
    setSaved(writeRules(next));
    if (!(await run({ rules: next })).ok) setSaved(saved);
  };
  const without = (...gone: DataRule[]) => chosen.filter((rule) => !gone.includes(rule));
  return (
    <div className="grid max-w-2xl gap-5">
      {SWITCHES.map(({ rule, label, hint }) => (
        <SwitchField
          key={rule}
          label={label}
          hint={hint}
          checked={chosen.includes(rule)}
          disabled={isRunning}
          onChange={(isOn) => void change(isOn ? [...chosen, rule] : without(rule))}
        />
      ))}
      <SelectField
        label="Region"
        hint="Only providers that process requests there."
        value={chosen.find((rule) => rule.startsWith('region_')) ?? ''}
        disabled={isRunning}
        onChange={({ target }) =>
          void change([
            ...without('region_eu', 'region_us'),
            ...DATA_RULES.filter((rule) => rule === target.value),
          ])
        }
        options={REGIONS}
        className="max-w-sm"
      />
      <p role="status" className="text-sm text-muted">
        {describeCount(saved, counts[saved] ?? 0)}
      </p>
      {failure && <Notice kind="danger">{failure.message}</Notice>}
    </div>
  );
}

function describeCount(rules: RuleSet, count: number): string {
  if (rules === NO_RULES)
    return `Without a rule, all ${countOf(count, 'model')} of this service can be used.`;
  if (count === 0) return 'No model of this service meets these rules, so every request is refused.';
  return `${countOf(count, 'model')} of this service ${count === 1 ? 'meets' : 'meet'} these rules.`;
}
