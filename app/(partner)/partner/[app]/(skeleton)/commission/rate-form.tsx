'use client';

import { type FormEvent, useState } from 'react';
import { Button } from '@/app/_ui/button';
import { Dialog } from '@/app/_ui/dialog';
import { SelectField } from '@/app/_ui/select-field';
import { TextField } from '@/app/_ui/text-field';
import { Time } from '@/app/_ui/time';
import { useAction } from '@/app/_ui/use-action';
import { describeRaise, formatPercent, parsePercent } from '@/server/partners/rate';
import { saveRate } from './actions';
import { Effect } from './effect';
import type { Example } from './examples';

type Props = { partnerId: string; rateBp: number; rateCapBp: number; examples: Example[] };

const HIGHEST_BP = 10_000;
const DAYS_TO_RAISE = 7;
type Start = 'now' | 'later';

/** The rate, when it takes effect, and a live preview of what it means. */
export function RateForm({ partnerId, rateBp, rateCapBp, examples }: Props) {
  const [text, setText] = useState(formatPercent(rateBp));
  const [isAsking, setAsking] = useState(false);
  const { run, isRunning, failure, clearFailure } = useAction(saveRate);
  const typed = parsePercent(text);
  const error = describeError(typed, rateCapBp);
  const raise = typed === null ? null : describeRaise(rateBp, typed);
  const { start, date, setStart, setDate } = useStart(raise !== null);
  const isReady = error === undefined && (start === 'now' || date !== '');
  const effectiveAt = start === 'now' || date === '' ? null : new Date(date).toISOString();
  const label = start === 'now' ? 'Set rate' : 'Schedule change';

  const save = async () => {
    const { ok } = await run({ partnerId, percent: text, effectiveAt });
    setAsking(false);
    if (!ok) return;
    setStart(null);
    setDate(null);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!isReady) return;
    if (raise === null) await save();
    else setAsking(true);
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
        <StartFields
          start={start}
          date={date}
          error={failure?.field === 'effective_at' ? failure.message : undefined}
          onStart={setStart}
          onDate={(text) => {
            setDate(text);
            clearFailure();
          }}
        />
        <div className="sm:col-span-3">
          <Button type="submit" busy={isRunning}>
            {label}
          </Button>
        </div>
      </form>
      <RaiseDialog
        from={rateBp}
        to={typed ?? rateBp}
        at={effectiveAt}
        isOpen={isAsking}
        isRunning={isRunning}
        onCancel={() => setAsking(false)}
        onConfirm={save}
      >
        {label}
      </RaiseDialog>
      <Effect examples={examples} rateBp={typed ?? rateBp} currentBp={rateBp} />
    </>
  );
}

/** When the rate takes effect. A raise leaves users time, unless the partner chooses otherwise. */
function useStart(isRaise: boolean) {
  const [chosenStart, setStart] = useState<Start | null>(null);
  const [chosenDate, setDate] = useState<string | null>(null);
  const start = chosenStart ?? (isRaise ? 'later' : 'now');
  const date = chosenDate ?? (isRaise ? inDays(DAYS_TO_RAISE) : '');
  return { start, date, setStart, setDate };
}

type StartProps = {
  start: Start;
  date: string;
  error: string | undefined;
  onStart(start: Start): void;
  onDate(date: string): void;
};

function StartFields({ start, date, error, onStart, onDate }: StartProps) {
  return (
    <>
      <SelectField
        label="Takes effect"
        value={start}
        onChange={(event) => onStart(event.target.value === 'later' ? 'later' : 'now')}
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
          error={date === '' ? 'Enter a date and time.' : error}
          hint="In your time zone, within a year"
          onChange={(event) => onDate(event.target.value)}
        />
      )}
    </>
  );
}

type RaiseProps = {
  from: number;
  to: number;
  /** Null: now. */
  at: string | null;
  isOpen: boolean;
  isRunning: boolean;
  onCancel(): void;
  onConfirm(): void;
  /** What the confirming button says. */
  children: string;
};

/** Says what a raise means for users before it is saved. */
function RaiseDialog({ from, to, at, isOpen, isRunning, onCancel, onConfirm, children }: RaiseProps) {
  return (
    <Dialog
      title={`Raise the commission from ${formatPercent(from)}% to ${formatPercent(to)}%?`}
      description={
        <>
          Users pay {describeRaise(from, to)}% more{' '}
          {at === null ? (
            'from the next request'
          ) : (
            <>
              from <Time at={at} />
            </>
          )}
          . They see the raise in their account and in the weekly mail.
        </>
      }
      open={isOpen}
      onOpenChange={(open) => !open && !isRunning && onCancel()}
    >
      <div className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
        <Button look="secondary" onClick={onCancel}>
          Cancel
        </Button>
        <Button busy={isRunning} onClick={onConfirm}>
          {children}
        </Button>
      </div>
    </Dialog>
  );
}

/** For a date and time field, in the browser's time zone. */
function inDays(days: number): string {
  const at = new Date();
  at.setDate(at.getDate() + days);
  at.setMinutes(-at.getTimezoneOffset(), 0, 0);
  return at.toISOString().slice(0, 16);
}

function describeError(typed: number | null, rateCapBp: number): string | undefined {
  if (typed === null) return 'Enter 0 to 100 with at most two decimals';
  return typed > rateCapBp ? `At most ${formatPercent(rateCapBp)}% for this app` : undefined;
}
