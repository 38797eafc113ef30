'use client';

import { type FormEvent, type ReactNode, useState } from 'react';
import { formatCredits, formatMoney } from '@/app/_ui/amount';
import { Button } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { SelectField } from '@/app/_ui/select-field';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { creditsFor, parseAmount } from '@/app/checkout/[visit]/purchase-amount';
import { startPurchase } from './actions';

type Currency = 'usd' | 'eur';
type Props = {
  presets: number[];
  minimum: number;
  maximum: number;
  /** USD per unit; null while the currency cannot be paid in. */
  rates: { usd: number; eur: number | null };
  isSandbox: boolean;
};

const FIRST_CHOICE = 10;
const SIGN = { usd: '$', eur: '€' };

export function BuyForm({ presets, minimum, maximum, rates, isSandbox }: Props) {
  const [currency, setCurrency] = useState<Currency>('usd');
  const [choice, setChoice] = useState<number | 'custom'>(FIRST_CHOICE);
  const [typed, setTyped] = useState('');
  const [isChecked, setChecked] = useState(false);
  const [isLeaving, setLeaving] = useState(false);
  const { run, isRunning, failure, clearFailure } = useAction(startPurchase);

  const money = (amount: number) => formatMoney(amount, currency, 'en');
  const credits = (amount: number) => formatCredits(creditsFor(amount, rates[currency] ?? 1), 'en');
  const wanted = choice === 'custom' ? parseAmount(typed) : choice;
  const amount = wanted !== null && wanted >= minimum && wanted <= maximum ? wanted : null;
  const range = `${money(minimum)} to ${money(maximum)}`;

  async function submit(event: FormEvent) {
    event.preventDefault();
    setChecked(true);
    if (amount === null) return;
    const started = await run({ amount, currency });
    if (!started.ok || !started.value) return;
    setLeaving(true);
    window.location.assign(started.value.checkoutUrl);
  }

  return (
    <form onSubmit={submit} noValidate>
      <fieldset>
        <legend className="mb-2 text-sm font-medium">Amount</legend>
        <div className="grid grid-cols-3 gap-2.5">
          {presets.map((preset) => (
            <Tile key={preset} isChosen={choice === preset} onChoose={() => setChoice(preset)}>
              <span className="text-[17px] font-semibold tabular-nums">{money(preset)}</span>
              <span className="text-[13px] text-muted tabular-nums">{credits(preset)} credits</span>
            </Tile>
          ))}
          <Tile isChosen={choice === 'custom'} onChoose={() => setChoice('custom')}>
            <span className="text-sm font-medium">Other</span>
          </Tile>
        </div>
      </fieldset>
      {choice === 'custom' && (
        <div className="mt-4">
          <TextField
            label="Other amount"
            name="amount"
            inputMode="decimal"
            autoComplete="off"
            autoFocus
            prefix={SIGN[currency]}
            value={typed}
            hint={range}
            error={isChecked && amount === null ? `Enter an amount from ${range}.` : undefined}
            onChange={(event) => {
              setTyped(event.target.value);
              setChecked(false);
              clearFailure();
            }}
          />
        </div>
      )}
      {rates.eur !== null && (
        <SelectField
          label="Currency"
          className="mt-4"
          options={[
            { value: 'usd', label: 'US dollar' },
            { value: 'eur', label: 'Euro' },
          ]}
          value={currency}
          onChange={(event) => setCurrency(event.target.value as Currency)}
        />
      )}
      <dl className="mt-5 grid gap-1.5 border-t border-line pt-4">
        <Line label="You pay">{amount === null ? '–' : money(amount)}</Line>
        <Line label="You get">{amount === null ? '–' : `${credits(amount)} credits`}</Line>
      </dl>
      <p className="mt-3 text-sm text-muted">
        They belong to no app yet: an app spends them once you give it an allowance.
      </p>
      {failure && (
        <div className="mt-4">
          <Notice kind="danger">{failure.message}</Notice>
        </div>
      )}
      <Button type="submit" size="large" busy={isRunning || isLeaving} className="mt-5 w-full">
        {amount === null ? 'Continue to payment' : `Pay ${money(amount)}`}
      </Button>
      {isSandbox && (
        <p className="mt-3 text-center text-[13px] text-muted">
          Sandbox: pay with the card 4242 4242 4242 4242. No money moves.
        </p>
      )}
    </form>
  );
}

type TileProps = { isChosen: boolean; onChoose(): void; children: ReactNode };

function Tile({ isChosen, onChoose, children }: TileProps) {
  return (
    <label className="relative grid min-h-[72px] cursor-pointer place-content-center justify-items-center gap-0.5 rounded-xl border border-field/40 px-1 text-center transition-colors hover:border-field has-checked:border-accent has-checked:bg-accent-soft has-checked:ring-1 has-checked:ring-accent has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent">
      <input
        type="radio"
        name="preset"
        checked={isChosen}
        onChange={onChoose}
        className="absolute inset-0 cursor-pointer opacity-0"
      />
      {children}
    </label>
  );
}

function Line({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex justify-between gap-4">
      <dt className="text-muted">{label}</dt>
      <dd className="font-medium tabular-nums">{children}</dd>
    </div>
  );
}
