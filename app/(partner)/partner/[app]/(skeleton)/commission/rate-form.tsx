'use client';

import { type FormEvent, useState } from 'react';
import { Button } from '@/app/_ui/button';
import { SelectField } from '@/app/_ui/select-field';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { formatPercent, parsePercent } from '@/server/partners/rate';
import { saveRate } from './actions';
import { Effect } from './effect';
import type { Example } from './examples';

type Props = { partnerId: string; rateBp: number; rateCapBp: number; examples: Example[] };

const HIGHEST_BP = 10_000;

/** The rate, when it takes effect, and a live preview of what it means. */
export function RateForm({ partnerId, rateBp, rateCapBp, examples }: Props) {
  const [text, setText] = useState(formatPercent(rateBp));
  const [start, setStart] = useState<'now' | 'later'>('now');
  const [date, setDate] = useState('');
  const { run, isRunning, failure, clearFailure } = useAction(saveRate);
  const typed = parsePercent(text);
  const error = describeError(typed, rateCapBp);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (error !== undefined) return;
    const effectiveAt = start === 'now' ? null : date && new Date(date).toISOString();
    if ((await run({ partnerId, percent: text, effectiveAt })).ok) setStart('now');
  };

  return (
    <>
      <form onSubmit={submit} noValidate className="fields sm:grid-cols-[180px_180px_1fr]">
        <TextField
          label="Commission, %"
          inputMode="decimal"
          autoComplete="off"
          value={text}
          error={failure?.field === 'effective_at' ? undefined : (failure?.message ?? error)}
          hint={rateCapBp < HIGHEST_BP ? `At most ${formatPercent(rateCapBp)}%` : '0 to 100'}
          onChange={(event) => {
            setText(event.target.value.replace(',', '.'));
            clearFailure();
          }}
        />
        <SelectField
          label="Takes effect"
          value={start}
          onChange={(event) => setStart(event.target.value === 'later' ? 'later' : 'now')}
          className="[&_select]:sm:h-12"
          options={[
            { value: 'now', label: 'Now' },
            { value: 'later', label: 'At a later time' },
          ]}
        />
        {start === 'later' && (
          <TextField
            label="Date and time"
            type="datetime-local"
            value={date}
            required
            error={failure?.field === 'effective_at' ? failure.message : undefined}
            hint="In your time zone, within a year"
            onChange={(event) => {
              setDate(event.target.value);
              clearFailure();
            }}
          />
        )}
        <div className="sm:col-span-3">
          <Button type="submit" busy={isRunning}>
            {start === 'now' ? 'Set rate' : 'Schedule change'}
          </Button>
        </div>
      </form>
      <Effect examples={examples} rateBp={typed ?? rateBp} currentBp={rateBp} />
    </>
  );
}

function describeError(typed: number | null, rateCapBp: number): string | undefined {
  if (typed === null) return 'Enter 0 to 100 with at most two decimals';
  return typed > rateCapBp ? `At most ${formatPercent(rateCapBp)}% for this app` : undefined;
}
